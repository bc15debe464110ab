#pragma once
#include <stddef.h>

// The response to a GET request by libcurl, which follows no redirects and allows only HTTP and HTTPS. Any thread.
typedef struct ccurl_answer {
  // The HTTP status, or 0 if no complete response arrived.
  long status;
  // The received part of the body and its size in bytes; complete unless the status is 0. The caller frees it.
  char *body;
  size_t count;
  int is_too_large;
  // The target of a redirect (status 3xx), or an empty string.
  char redirect[512];
  // The reason why no complete response arrived.
  char reason[320];
} ccurl_answer;

typedef struct ccurl_request {
  const char *url;
  // Each may be NULL: `USER:PASSWORD`, a complete header line, and the path of a file with CA certificates.
  const char *user;
  const char *header;
  const char *ca;
  size_t bytes_max;
  long connect_ms;
  long total_ms;
} ccurl_request;

ccurl_answer ccurl_get(const ccurl_request *request);
