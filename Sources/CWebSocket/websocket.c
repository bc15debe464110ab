#include "websocket.h"

#include <libwebsockets.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MAX 16
#define AGAIN_FIRST_MS 1000

typedef struct outgoing {
  struct outgoing *next;
  size_t count;
  unsigned char bytes[];  // LWS_PRE bytes of room, then the text
} outgoing;

typedef struct connection {
  lws_sorted_usec_list_t again;  // the timer of the next attempt
  struct cws_loop *loop;
  struct lws *wsi;
  int number;
  int port;
  int is_tls;
  int is_due;  // whether the next attempt is scheduled, and was reported
  char *host;
  char *path;
  char *name;  // the value of the Host header
  unsigned int again_ms, again_max_ms;
  char *bytes;  // of the message that is being received
  size_t count, room;
  int is_too_large;
  outgoing *first, *last;
} connection;

struct cws_loop {
  cws_events events;
  size_t message_max;
  struct lws_context *context;
  connection *connections[CONNECTIONS_MAX];
  int count;
  atomic_int is_stopped;
};

static const lws_retry_bo_t policy = {
  .secs_since_valid_ping = 20,
  .secs_since_valid_hangup = 35,
};

static void forget(connection *one) {
  one->count = 0;
  one->is_too_large = 0;
  while (one->first) {
    outgoing *next = one->first->next;
    free(one->first);
    one->first = next;
  }
  one->last = NULL;
}

static void begin(lws_sorted_usec_list_t *again);

static void lost(connection *one, const char *reason) {
  one->wsi = NULL;
  forget(one);
  if (one->is_due || atomic_load(&one->loop->is_stopped)) return;
  one->is_due = 1;
  // The wait varies between half and all of it, so that many clients do not reconnect at once.
  unsigned int wait = one->again_ms / 2 + (unsigned int)(rand() % (int)(one->again_ms / 2 + 1));
  one->again_ms = one->again_ms * 2 > one->again_max_ms ? one->again_max_ms : one->again_ms * 2;
  lws_sul_schedule(one->loop->context, 0, &one->again, begin, (lws_usec_t)wait * 1000);
  one->loop->events.lost(one->loop->events.context, one->number, reason);
}

static void begin(lws_sorted_usec_list_t *again) {
  connection *one = lws_container_of(again, connection, again);
  one->is_due = 0;
  struct lws_client_connect_info info;
  memset(&info, 0, sizeof info);
  info.context = one->loop->context;
  info.address = one->host;
  info.port = one->port;
  info.path = one->path;
  info.host = one->name;
  info.origin = one->name;
  info.ssl_connection = one->is_tls ? LCCSCF_USE_SSL : 0;
  info.local_protocol_name = "combo";
  info.retry_and_idle_policy = &policy;
  info.userdata = one;
  info.pwsi = &one->wsi;
  if (!lws_client_connect_via_info(&info)) lost(one, "cannot connect");
}

static void receive(connection *one, struct lws *wsi, const char *bytes, size_t count) {
  if (lws_is_first_fragment(wsi)) {
    one->count = 0;
    one->is_too_large = 0;
  }
  if (!one->is_too_large && one->count + count > one->loop->message_max) one->is_too_large = 1;
  if (!one->is_too_large && one->count + count > one->room) {
    size_t room = 2 * (one->count + count);
    char *larger = realloc(one->bytes, room);
    if (larger) {
      one->bytes = larger;
      one->room = room;
    } else {
      one->is_too_large = 1;
    }
  }
  if (!one->is_too_large) {
    memcpy(one->bytes + one->count, bytes, count);
    one->count += count;
  }
  if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi)) return;
  if (one->is_too_large) {
    one->loop->events.too_large(one->loop->events.context, one->number);
  } else {
    one->loop->events.message(one->loop->events.context, one->number, one->bytes, one->count);
  }
  one->count = 0;
  one->is_too_large = 0;
}

static int handle(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count) {
  connection *one = user;
  switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      if (one) {
        char text[200];
        snprintf(text, sizeof text, "%.*s", in ? (int)count : 14, in ? (const char *)in : "cannot connect");
        lost(one, text);
      }
      break;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      one->again_ms = AGAIN_FIRST_MS;
      one->loop->events.opened(one->loop->events.context, one->number);
      break;
    case LWS_CALLBACK_CLIENT_RECEIVE:
      receive(one, wsi, in, count);
      break;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
      if (one->first) {
        outgoing *sent = one->first;
        one->first = sent->next;
        if (!one->first) one->last = NULL;
        int wrote = lws_write(wsi, sent->bytes + LWS_PRE, sent->count, LWS_WRITE_TEXT);
        free(sent);
        if (wrote < 0) return -1;
        if (one->first) lws_callback_on_writable(wsi);
      }
      break;
    case LWS_CALLBACK_CLIENT_CLOSED:
      if (one) lost(one, "closed by the other end, or silent");
      break;
    default:
      break;
  }
  return 0;
}

static const struct lws_protocols protocols[] = {
  {.name = "combo", .callback = handle, .rx_buffer_size = 16384},
  {.name = NULL},
};

cws_loop *cws_make(const cws_events *events, size_t message_max) {
  cws_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->events = *events;
  loop->message_max = message_max;
  lws_set_log_level(0, NULL);
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  info.gid = (gid_t)-1;
  info.uid = (uid_t)-1;
  // Otherwise it allocates memory for all descriptors that the process may open.
  info.fd_limit_per_thread = 64;
  loop->context = lws_create_context(&info);
  if (!loop->context) {
    free(loop);
    return NULL;
  }
  return loop;
}

int cws_add(cws_loop *loop, const char *host, int port, const char *path, int is_tls, unsigned int again_max_ms) {
  if (loop->count == CONNECTIONS_MAX) return -1;
  connection *one = calloc(1, sizeof *one);
  if (!one) return -1;
  one->loop = loop;
  one->number = loop->count;
  one->port = port;
  one->is_tls = is_tls;
  one->host = strdup(host);
  one->path = strdup(path);
  size_t length = strlen(host) + 16;
  one->name = malloc(length);
  if (one->name) snprintf(one->name, length, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
  one->again_ms = AGAIN_FIRST_MS;
  one->again_max_ms = again_max_ms;
  loop->connections[loop->count] = one;
  loop->count += 1;
  return one->number;
}

void cws_send(cws_loop *loop, int number, const char *text, size_t count) {
  connection *one = loop->connections[number];
  outgoing *new = malloc(sizeof *new + LWS_PRE + count);
  if (!new || !one->wsi) {
    free(new);
    return;
  }
  new->next = NULL;
  new->count = count;
  memcpy(new->bytes + LWS_PRE, text, count);
  if (one->last) {
    one->last->next = new;
  } else {
    one->first = new;
  }
  one->last = new;
  lws_callback_on_writable(one->wsi);
}

void cws_serve(cws_loop *loop) {
  for (int index = 0; index < loop->count; index++) begin(&loop->connections[index]->again);
  while (!atomic_load(&loop->is_stopped)) {
    if (lws_service(loop->context, 0) < 0) break;
  }
}

void cws_stop(cws_loop *loop) {
  atomic_store(&loop->is_stopped, 1);
  lws_cancel_service(loop->context);
}

void cws_free(cws_loop *loop) {
  atomic_store(&loop->is_stopped, 1);
  lws_context_destroy(loop->context);
  for (int index = 0; index < loop->count; index++) {
    connection *one = loop->connections[index];
    forget(one);
    free(one->host);
    free(one->path);
    free(one->name);
    free(one->bytes);
    free(one);
  }
  free(loop);
}

// Computes the SHA-256 of two texts in base64: 44 characters and a zero byte. Returns 0 if that fails.
static int hash(const char *first, const char *second, char text[45]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int is_done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) && EVP_DigestUpdate(context, first, strlen(first))
    && EVP_DigestUpdate(context, second, strlen(second)) && EVP_DigestFinal_ex(context, digest, NULL);
  EVP_MD_CTX_free(context);
  if (is_done) EVP_EncodeBlock((unsigned char *)text, digest, 32);
  return is_done;
}

int cws_answer(const char *password, const char *salt, const char *challenge, char answer[45]) {
  char secret[45];
  return hash(password, salt, secret) && hash(secret, challenge, answer);
}
