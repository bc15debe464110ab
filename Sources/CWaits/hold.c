// Signals that come before the service looks for them.
//
// What runs here comes before the constructors of shared libraries, which take the larger part of a start. Until `StopSignal.watchSignals`
// the signals wait; without it, an early one would kill the process.

#include <signal.h>
#include <string.h>

static void hold(int count, char **arguments, char **environment) {
  (void)environment;
  if (count < 2 || strcmp(arguments[1], "run") != 0) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const begin)(int, char **, char **) = hold;
