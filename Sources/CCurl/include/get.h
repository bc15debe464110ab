#pragma once
#include <stddef.h>

// A GET by libcurl: no redirects, HTTP and HTTPS only, any thread.
typedef struct ccurl_answer {
  // Of HTTP; 0: there was no whole answer.
  long status;
  // What came of its body, and how many bytes; whole unless it is too large. Free it.
  char *body;
  size_t count;
  int is_too_large;
  // Where a status of 3xx points to; empty: nowhere.
  char redirect[512];
  // Why there was no whole answer.
  char reason[320];
} ccurl_answer;

typedef struct ccurl_request {
  const char *url;
  // Each may be NULL: `USER:PASSWORD`; a whole header; a file with certificates.
  const char *user;
  const char *header;
  const char *ca;
  size_t bytes_max;
  long connect_ms;
  long total_ms;
} ccurl_request;

ccurl_answer ccurl_get(const ccurl_request *request);
