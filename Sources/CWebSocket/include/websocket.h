#pragma once
#include <stddef.h>

// A WebSocket client on libwebsockets: one thread and up to 16 connections. A lost connection is made again, after up to 1 s at
// first, then after waits that double. A peer that is silent for 20 s is sent a ping, and disconnected after 35 s.
//
// Everything but cws_stop belongs to the thread that calls cws_serve. All callbacks come from within cws_serve.
typedef struct cws_loop cws_loop;

typedef struct cws_events {
  void *context;
  void (*opened)(void *context, int connection);
  // A whole message. The bytes are valid during the call.
  void (*message)(void *context, int connection, const char *bytes, size_t count);
  // A message was larger than allowed, and was discarded.
  void (*too_large)(void *context, int connection);
  // The connection was lost, or could not be made. It is tried again.
  void (*lost)(void *context, int connection, const char *reason);
} cws_events;

// Creates a loop, or returns NULL if there is no memory or no file descriptor left.
cws_loop *cws_make(const cws_events *events, size_t message_max);

// Adds a connection, before cws_serve. Returns its number, or -1 if there are too many. again_max_ms limits the wait for a retry.
int cws_add(cws_loop *loop, const char *host, int port, const char *path, int is_tls, unsigned int again_max_ms);

// Sends a text message, from within a callback of that connection.
void cws_send(cws_loop *loop, int connection, const char *text, size_t count);

// Serves all connections until cws_stop.
void cws_serve(cws_loop *loop);

// Ends cws_serve soon. Any thread.
void cws_stop(cws_loop *loop);

void cws_free(cws_loop *loop);

// Computes what Streamer.bot and OBS need instead of a password: base64(SHA-256(base64(SHA-256(password + salt)) + challenge)).
// Writes its 44 characters and a zero byte. Returns 0 if that fails.
int cws_answer(const char *password, const char *salt, const char *challenge, char answer[45]);
