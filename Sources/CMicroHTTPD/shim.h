#pragma once
#include <microhttpd.h>

// Wrappers of libmicrohttpd's variadic functions and unions, which Swift cannot use.

// The parameters of a daemon.
typedef struct cmhd_options {
  void *context;  // passed to each callback
  MHD_AccessHandlerCallback access;
  void *(*request_line)(void *context, const char *uri, struct MHD_Connection *connection);
  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connected;
  MHD_socket listening;  // bound and listening; the daemon owns it
  unsigned int connections_max;
  unsigned int timeout_s;
  size_t memory_max;
} cmhd_options;

// Starts a daemon that runs only within MHD_run, on epoll, and can suspend connections. Returns NULL if that fails.
static inline struct MHD_Daemon *cmhd_start(const cmhd_options *options) {
  return MHD_start_daemon(
    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_PEDANTIC_CHECKS, 0, NULL, NULL, options->access, options->context,
    MHD_OPTION_LISTEN_SOCKET, options->listening,
    MHD_OPTION_URI_LOG_CALLBACK, options->request_line, options->context,
    MHD_OPTION_UNESCAPE_CALLBACK, options->unescape, options->context,
    MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
    MHD_OPTION_NOTIFY_CONNECTION, options->connected, options->context,
    MHD_OPTION_CONNECTION_LIMIT, options->connections_max,
    MHD_OPTION_CONNECTION_TIMEOUT, options->timeout_s,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->memory_max,
    MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
    MHD_OPTION_END);
}

// Returns a connection's socket, or -1.
static inline int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// Returns the descriptor to wait for before MHD_run, or -1.
static inline int cmhd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}
