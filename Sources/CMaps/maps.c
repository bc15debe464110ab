// The files of Sources/ComboMaps/BuiltIn, as bytes. A new one needs its three lines below, and one in the table. The vocabulary
// is not a map, so it is not in the table.
#include "maps.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char wire[] = {
#embed "../ComboMaps/BuiltIn/wire.json"
};

static const unsigned char tiktok[] = {
#embed "../ComboMaps/BuiltIn/tiktok.json"
};

static const unsigned char douyin[] = {
#embed "../ComboMaps/BuiltIn/douyin.json"
};

static const unsigned char bilibili[] = {
#embed "../ComboMaps/BuiltIn/bilibili.json"
};

static const unsigned char bilibili_open[] = {
#embed "../ComboMaps/BuiltIn/bilibili-open.json"
};

static const unsigned char douyu[] = {
#embed "../ComboMaps/BuiltIn/douyu.json"
};

static const unsigned char huya[] = {
#embed "../ComboMaps/BuiltIn/huya.json"
};

static const unsigned char kuaishou[] = {
#embed "../ComboMaps/BuiltIn/kuaishou.json"
};

static const unsigned char acfun[] = {
#embed "../ComboMaps/BuiltIn/acfun.json"
};

static const unsigned char twitch[] = {
#embed "../ComboMaps/BuiltIn/twitch.json"
};

static const unsigned char youtube[] = {
#embed "../ComboMaps/BuiltIn/youtube.json"
};

static const unsigned char kick[] = {
#embed "../ComboMaps/BuiltIn/kick.json"
};

static const unsigned char streamelements[] = {
#embed "../ComboMaps/BuiltIn/streamelements.json"
};

static const unsigned char streamlabs[] = {
#embed "../ComboMaps/BuiltIn/streamlabs.json"
};

static const unsigned char chzzk[] = {
#embed "../ComboMaps/BuiltIn/chzzk.json"
};

static const unsigned char soop[] = {
#embed "../ComboMaps/BuiltIn/soop.json"
};

static const unsigned char trovo[] = {
#embed "../ComboMaps/BuiltIn/trovo.json"
};

static const unsigned char rumble[] = {
#embed "../ComboMaps/BuiltIn/rumble.json"
};

static const unsigned char niconico[] = {
#embed "../ComboMaps/BuiltIn/niconico.json"
};

static const unsigned char tiktok_linger[] = {
#embed "../ComboMaps/BuiltIn/tiktok-linger.json"
};

static const unsigned char kuaishou_linger[] = {
#embed "../ComboMaps/BuiltIn/kuaishou-linger.json"
};

static const unsigned char acfun_linger[] = {
#embed "../ComboMaps/BuiltIn/acfun-linger.json"
};

static const unsigned char common[] = {
#embed "../ComboMaps/BuiltIn/common.json"
};

static const unsigned char vocabulary[] = {
#embed "../ComboMaps/Inference/vocabulary.json"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

// In the order in which they are listed.
static const cmaps_file files[] = {
  FILE("wire", wire),
  FILE("tiktok", tiktok),
  FILE("tiktok-linger", tiktok_linger),
  FILE("douyin", douyin),
  FILE("bilibili", bilibili),
  FILE("bilibili-open", bilibili_open),
  FILE("douyu", douyu),
  FILE("huya", huya),
  FILE("kuaishou", kuaishou),
  FILE("kuaishou-linger", kuaishou_linger),
  FILE("acfun", acfun),
  FILE("acfun-linger", acfun_linger),
  FILE("twitch", twitch),
  FILE("youtube", youtube),
  FILE("kick", kick),
  FILE("streamelements", streamelements),
  FILE("streamlabs", streamlabs),
  FILE("chzzk", chzzk),
  FILE("soop", soop),
  FILE("trovo", trovo),
  FILE("rumble", rumble),
  FILE("niconico", niconico),
  FILE("common", common),
  {0, 0, 0},
};

const cmaps_file *cmaps_first(void) { return files; }

cmaps_file cmaps_vocabulary(void) { return (cmaps_file) FILE("vocabulary", vocabulary); }
