// The headers of libvips include those of GLib, which lie where only its package description tells: depending on this
// gives a target the paths. That of libvips itself asks for flags that the package manager does not pass on.
