// Blocks signals that arrive before the service handles them.
//
// This code runs before the constructors of shared libraries, which take most of the time of a start. The signals are pending
// until `StopSignal.watchSignals`; otherwise an early one would end the process.

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
