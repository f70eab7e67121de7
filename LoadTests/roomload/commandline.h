// Options from the command line, and from the files of scenarios that it names.
#ifndef COMMANDLINE_H
#define COMMANDLINE_H

// Ends the program where the command line asks for help or cannot be understood.
void commandline_read(int count, char **arguments);

#endif
