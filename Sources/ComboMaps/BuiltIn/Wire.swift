extension BuiltInMaps {
  static let wire = #"""
    {
      "map": 1,
      "name": "wire",
      "about": "Events as the service reads them without a map; a start for your own map",
      "rules": [
        {
          "about": "First, since nearly all records are gifts.",
          "when": {"any": [{"at": "/type", "is": "gift"}, {"at": "/type", "exists": false}]},
          "event": "gift",
          "fields": {
            "room": "/room",
            "ts": "/ts",
            "id": "/id",
            "sender": {"id": "/sender/id", "show": "/sender"},
            "receiver": {"id": "/receiver/id", "show": "/receiver"},
            "gift": {"id": "/gift/id", "value": "/gift/value", "show": "/gift"},
            "count": "/count",
            "total": "/total",
            "streak": "/streak",
            "streak_ms": "/streak_ms",
            "ends": "/ends",
            "combo": "/combo"
          },
          "ids": "new"
        },
        {
          "when": {"at": "/type", "is": "room_closed"},
          "event": "room_closed",
          "fields": {"room": "/room", "ts": "/ts"}
        },
        {
          "when": {"at": "/type", "is": "room_settings"},
          "event": "room_settings",
          "fields": {"room": "/room", "ts": "/ts", "settings": "/settings"}
        },
        {
          "when": {"all": [{"at": "/type", "is": "retract"}, {"at": "/receiver", "exists": true}, {"at": "/gift", "exists": true}]},
          "event": "retract",
          "fields": {"room": "/room", "ts": "/ts", "sender": {"id": "/sender/id"}, "receiver": {"id": "/receiver/id"}, "gift": {"id": "/gift/id"}}
        },
        {
          "when": {"all": [{"at": "/type", "is": "retract"}, {"at": "/receiver", "exists": true}]},
          "event": "retract",
          "fields": {"room": "/room", "ts": "/ts", "sender": {"id": "/sender/id"}, "receiver": {"id": "/receiver/id"}}
        },
        {
          "when": {"all": [{"at": "/type", "is": "retract"}, {"at": "/gift", "exists": true}]},
          "event": "retract",
          "fields": {"room": "/room", "ts": "/ts", "sender": {"id": "/sender/id"}, "gift": {"id": "/gift/id"}}
        },
        {
          "when": {"at": "/type", "is": "retract"},
          "event": "retract",
          "fields": {"room": "/room", "ts": "/ts", "sender": {"id": "/sender/id"}}
        }
      ],
      "otherwise": {"bad": "type is none of gift, room_closed, retract and room_settings"}
    }
    """#
}
