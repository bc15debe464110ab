/// The words that made-up gifts consist of.
enum GiftWords {
  static let viewers = [
    "晨光微微", "橙子汽水", "夜航船", "小满", "Echo", "半夏🌿", "阿狸不吃鱼", "云朵面包", "海盐芝士", "猫系少年🐾", "Nora", "青柠",
    "雪落无声❄️", "桃子味的风", "旅行者1号", "豆沙包", "🌙月半弯", "Leo", "听雨", "糯米团子", "程序猿阿强", "北方的河", "苏打饼干",
    "Olivia🌷", "一颗星星⭐", "老李同学", "可乐加冰", "鹿鸣", "Max", "🦊小狐狸", "向日葵", "深海鲸落🐳", "西瓜太郎", "木子", "🎧耳机少女",
    "山野", "Zoe", "薄荷糖", "清欢", "🍉吃瓜群众", "胡同口", "七喜", "Ivy", "银河邮差", "泡芙", "秋刀鱼之味", "👑国王的新衣", "阿福",
  ]

  static let hosts = [
    "小鹿唱歌", "阿泽游戏", "甜甜🍬", "老周讲历史", "舞蹈生Kiki", "深夜电台📻", "大厨阿林", "手工小李", "钢琴师Mo", "户外老白", "画画的凉凉🎨", "脱口秀阿布",
  ]

  /// A kind of gift: its id, name, picture, and worth. Cheap kinds, which are given most often, come first.
  struct Present {
    let id: String
    let name: String
    let icon: String
    let value: Int
  }

  static let presents = [
    Present(id: "spark", name: "小火花", icon: "✨", value: 1),
    Present(id: "thumb", name: "赞一个", icon: "👍", value: 1),
    Present(id: "rose", name: "玫瑰", icon: "🌹", value: 1),
    Present(id: "candy", name: "糖果", icon: "🍬", value: 2),
    Present(id: "clap", name: "掌声", icon: "👏", value: 2),
    Present(id: "tea", name: "奶茶", icon: "🧋", value: 5),
    Present(id: "icecream", name: "冰淇淋", icon: "🍦", value: 6),
    Present(id: "balloon", name: "气球", icon: "🎈", value: 9),
    Present(id: "kite", name: "风筝", icon: "🪁", value: 15),
    Present(id: "panda", name: "熊猫", icon: "🐼", value: 20),
    Present(id: "lantern", name: "灯笼", icon: "🏮", value: 30),
    Present(id: "mic", name: "金话筒", icon: "🎤", value: 52),
    Present(id: "cake", name: "生日蛋糕", icon: "🎂", value: 66),
    Present(id: "guitar", name: "吉他", icon: "🎸", value: 99),
    Present(id: "bouquet", name: "花束", icon: "💐", value: 131),
    Present(id: "trophy", name: "奖杯", icon: "🏆", value: 188),
    Present(id: "diamond", name: "钻石", icon: "💎", value: 299),
    Present(id: "scooter", name: "小摩托", icon: "🛵", value: 520),
    Present(id: "dragon", name: "祥龙", icon: "🐉", value: 888),
    Present(id: "sports-car", name: "超跑", icon: "🏎️", value: 1314),
    Present(id: "yacht", name: "游艇", icon: "🛥️", value: 1999),
    Present(id: "castle", name: "城堡", icon: "🏰", value: 3344),
    Present(id: "rocket", name: "火箭", icon: "🚀", value: 5200),
    Present(id: "galaxy", name: "银河之约", icon: "🌌", value: 9999),
  ]
}
