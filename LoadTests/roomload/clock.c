#include "clock.h"

double clock_begin;
