/// Fields that rules of the map bilibili share.
extension BuiltInMaps {
  /// What a gift cost: nothing, where it was paid with silver coins.
  static let paidPrice =
    #"{"when": [{"switch": "free", "is": "zero"}, {"at": "/coinType", "is": "silver"}], "then": {"const": 0}, "else": "/price"}"#

  /// The order of a guard.
  static let guardOrder = #"""
    "id": ["/payflowId", "/payInfo/payflowId"],
            "sender": {
              "id": [{"at": ["/uid", "/senderUinfo/uid"], "unless": ["0"]}, "/username", "/senderUinfo/base/name"],
              "show": {"name": ["/username", "/senderUinfo/base/name"], "guard": ["/guardLevel", "/guardInfo/guardLevel"]}
            },
            "gift": {
              "id": [
                {"at": ["/giftId", "/giftInfo/giftId"], "unless": ["0"]}, {"join": ["guard-", "/guardLevel"]},
                {"join": ["guard-", "/guardInfo/guardLevel"]}
              ],
              "value": ["/price", "/payInfo/price"],
              "show": {"name": ["/roleName", "/guardInfo/roleName"]}
            },
            "count": [{"at": ["/num", "/payInfo/num"], "unless": ["0"]}, {"const": 1}]
    """#

  /// What is shown of a gift, but for the box that it came out of, which stands beside a list.
  static let shownGift =
    #""name": "/giftName", "icon": {"at": ["/giftInfo/imgBasic", "/giftInfo/webp"], "max": 1000}, "coin": "/coinType","#

  /// A gift of SEND_GIFT_V2's list, the sender beside the list. What is shown of him is bounded: it goes to each of up to 1,000 gifts.
  static let listedGift = #"""
    "id": [{"at": ["/tid"], "unless": ["0"]}],
            "sender": {
              "id": {"at": ["../../uid", "../../senderUinfo/uid", "../../uname"], "unless": ["0"]},
              "show": {
                "name": {"at": "../../uname", "max": 1000},
                "avatar": {"at": "../../face", "max": 1000},
                "guard": {"at": "../../guardLevel", "unless": ["0"], "max": 1000}
              }
            },
            "gift": {
              "id": [{"at": ["/giftId"], "unless": ["0"]}],
              "value": \#(paidPrice),
              "show": {
                \#(shownGift)
                "blind": {"at": "../../blindGift/originalGiftName", "max": 1000}
              }
            },
            "receiver": {
              "id": [{"at": ["/receiveUserInfo/uid", "/receiverUinfo/uid"], "unless": ["0"]}],
              "show": {"name": ["/receiveUserInfo/uname", "/receiverUinfo/base/name"]}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
    """#
}
