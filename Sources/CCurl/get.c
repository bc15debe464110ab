#include "get.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct sink {
  ccurl_answer *answer;
  size_t max;
} sink;

static size_t took(char *bytes, size_t size, size_t count, void *context) {
  sink *to = context;
  ccurl_answer *answer = to->answer;
  size_t more = size * count;
  if (more > to->max - answer->count) {
    answer->is_too_large = 1;
    return 0;
  }
  char *grown = realloc(answer->body, answer->count + more);
  if (grown == NULL) return 0;
  memcpy(grown + answer->count, bytes, more);
  answer->body = grown;
  answer->count += more;
  return more;
}

static void start(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

// A write of TLS to a peer that is gone raises SIGPIPE, which would end the program. So the signal is blocked and discarded here.
static CURLcode perform(CURL *curl) {
  sigset_t pipe, pending, before;
  const struct timespec at_once = {0, 0};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  CURLcode code = curl_easy_perform(curl);
  if (!sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

ccurl_answer ccurl_get(const ccurl_request *request) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  ccurl_answer answer;
  memset(&answer, 0, sizeof answer);
  char detail[CURL_ERROR_SIZE] = "";
  sink to = {&answer, request->bytes_max};
  CURL *curl = curl_easy_init();
  struct curl_slist *headers = NULL;
  if (curl != NULL) headers = curl_slist_append(NULL, "Accept: application/vnd.schemaregistry.v1+json, application/json");
  if (headers == NULL) {
    curl_easy_cleanup(curl);
    strcpy(answer.reason, "out of memory");
    return answer;
  }
  if (request->header != NULL) {
    struct curl_slist *more = curl_slist_append(headers, request->header);
    if (more != NULL) headers = more;
  }
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  // libcurl takes the names of protocols from 7.85 on, and only bits before.
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  // libcurl must not use alarms or signal handlers, since the program handles signals itself.
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, request->connect_ms);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, request->total_ms);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, took);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &to);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "combo-consumer");
  if (request->user != NULL) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERPWD, request->user);
  }
  if (request->ca != NULL) curl_easy_setopt(curl, CURLOPT_CAINFO, request->ca);
  CURLcode code = perform(curl);
  if (code == CURLE_OK) {
    char *redirect = NULL;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &redirect);
    if (redirect != NULL) strncpy(answer.redirect, redirect, sizeof answer.redirect - 1);
  } else {
    strncpy(answer.reason, detail[0] != 0 ? detail : curl_easy_strerror(code), sizeof answer.reason - 1);
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return answer;
}
