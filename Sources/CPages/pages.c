// The pages that the HTTP server serves, as bytes. A new file of Sources/ComboHTTP/Pages/web needs its three lines below, and one
// in the table.
#include "pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char combo_banner_js[] = {
#embed "../ComboHTTP/Pages/web/combo-banner.js"
};

static const unsigned char combo_client_js[] = {
#embed "../ComboHTTP/Pages/web/combo-client.js"
};

static const unsigned char combo_confetti_js[] = {
#embed "../ComboHTTP/Pages/web/combo-confetti.js"
};

static const unsigned char combo_pacer_js[] = {
#embed "../ComboHTTP/Pages/web/combo-pacer.js"
};

static const unsigned char combo_sequence_js[] = {
#embed "../ComboHTTP/Pages/web/combo-sequence.js"
};

static const unsigned char combo_text_js[] = {
#embed "../ComboHTTP/Pages/web/combo-text.js"
};

static const unsigned char combo_view_css[] = {
#embed "../ComboHTTP/Pages/web/combo-view.css"
};

static const unsigned char combo_view_js[] = {
#embed "../ComboHTTP/Pages/web/combo-view.js"
};

static const unsigned char combo_words_js[] = {
#embed "../ComboHTTP/Pages/web/combo-words.js"
};

static const unsigned char given_js[] = {
#embed "../ComboHTTP/Pages/web/given.js"
};

static const unsigned char icon_svg[] = {
#embed "../ComboHTTP/Pages/web/icon.svg"
};

static const unsigned char index_html[] = {
#embed "../ComboHTTP/Pages/web/index.html"
};

static const unsigned char overlay_css[] = {
#embed "../ComboHTTP/Pages/web/overlay.css"
};

static const unsigned char overlay_html[] = {
#embed "../ComboHTTP/Pages/web/overlay.html"
};

static const unsigned char overlay_js[] = {
#embed "../ComboHTTP/Pages/web/overlay.js"
};

static const unsigned char page_words_js[] = {
#embed "../ComboHTTP/Pages/web/page-words.js"
};

static const unsigned char plot_js[] = {
#embed "../ComboHTTP/Pages/web/plot.js"
};

static const unsigned char room_list_js[] = {
#embed "../ComboHTTP/Pages/web/room-list.js"
};

static const unsigned char rooms_css[] = {
#embed "../ComboHTTP/Pages/web/rooms.css"
};

static const unsigned char rooms_js[] = {
#embed "../ComboHTTP/Pages/web/rooms.js"
};

static const unsigned char service_css[] = {
#embed "../ComboHTTP/Pages/web/service.css"
};

static const unsigned char service_html[] = {
#embed "../ComboHTTP/Pages/web/service.html"
};

static const unsigned char service_js[] = {
#embed "../ComboHTTP/Pages/web/service.js"
};

static const unsigned char style_css[] = {
#embed "../ComboHTTP/Pages/web/style.css"
};

#define PAGE(name, bytes) {name, bytes, sizeof bytes}

static const cpages_page pages[] = {
  PAGE("combo-banner.js", combo_banner_js),
  PAGE("combo-client.js", combo_client_js),
  PAGE("combo-confetti.js", combo_confetti_js),
  PAGE("combo-pacer.js", combo_pacer_js),
  PAGE("combo-sequence.js", combo_sequence_js),
  PAGE("combo-text.js", combo_text_js),
  PAGE("combo-view.css", combo_view_css),
  PAGE("combo-view.js", combo_view_js),
  PAGE("combo-words.js", combo_words_js),
  PAGE("given.js", given_js),
  PAGE("icon.svg", icon_svg),
  PAGE("index.html", index_html),
  PAGE("overlay.css", overlay_css),
  PAGE("overlay.html", overlay_html),
  PAGE("overlay.js", overlay_js),
  PAGE("page-words.js", page_words_js),
  PAGE("plot.js", plot_js),
  PAGE("room-list.js", room_list_js),
  PAGE("rooms.css", rooms_css),
  PAGE("rooms.js", rooms_js),
  PAGE("service.css", service_css),
  PAGE("service.html", service_html),
  PAGE("service.js", service_js),
  PAGE("style.css", style_css),
  {0, 0, 0},
};

const cpages_page *cpages_first(void) { return pages; }
