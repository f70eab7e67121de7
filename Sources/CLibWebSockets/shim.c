#include "CLibWebSockets.h"
