#pragma once
// Swift's module of glibc leaves this header out.
#include <getopt.h>
