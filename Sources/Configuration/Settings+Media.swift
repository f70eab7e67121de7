/// Files that people upload.
extension Settings {
    static let media: [Setting] = [
        Setting(
            "media", .media, optional: \.media, .path("DIR"),
            "Directory for uploaded files; by default `media` in the data directory.",
            "On a disk with room. It is made if it is not there; one server at a time may use it."),
        Setting(
            "public-url", .media, optional: \.publicURL, .publicURL,
            "How clients call this server: what the URLs of uploaded files begin with.",
            """
            Without it each client is told the name by which it has asked, and https if it came over TLS to this server: \
            behind a proxy that ends TLS it is needed. With auth open it is also the one name, besides localhost, under \
            which the server answers.
            """),
        Setting(
            "avatar-bytes-max", .media, \.avatarBytesMax, .size(1_000...1_000_000_000),
            "The largest picture of a person that may be uploaded.",
            "Beyond it the answer is 413, before anything is read where the length is told."),
        Setting(
            "photo-bytes-max", .media, \.photoBytesMax, .size(1_000...1_000_000_000),
            "The largest photo that may be uploaded.",
            "As with avatars. What is kept is encoded anew and has at most 4,096 pixels a side."),
        Setting(
            "audio-bytes-max", .media, \.audioBytesMax, .size(1_000...1_000_000_000),
            "The largest recording that may be uploaded.",
            "As with avatars. A quarter of an hour in good quality has 15 MB."),
        Setting(
            "image-pixels-max", .media, \.imagePixelsMax, .count(10_000...1_000_000_000),
            "How many pixels an uploaded image may have.",
            "Looked at before it is decoded; beyond it the answer is 422. Phones make 50 million."),
        Setting(
            "media-time-max", .media, \.mediaTimeMax, .duration(.seconds(1) ... .seconds(600)),
            "How much processor time an uploaded file may take.",
            "In whole seconds. Beyond it, or beyond three times as much by the clock, the answer is 422."),
        Setting(
            "media-memory-max", .media, \.mediaMemoryMax, .size(600_000_000...64_000_000_000),
            "How much memory the process that works on a file may have.",
            "Of addresses, of which its libraries take 400 MB. Beyond it the answer is 422."),
        Setting(
            "media-unsealed", .media, \.mediaUnsealed, .flag,
            "Work on uploaded files also where the process for it cannot be sealed off.",
            """
            The seal (seccomp) keeps a hostile file that takes over a decoder from files, the network and other \
            programs. Where the kernel, a container or the processor (other than x86-64 and arm64) refuses it, the \
            server says so when it starts, and answers uploads 503 unless this is on.
            """),
        Setting(
            "media-free-min", .media, \.mediaFreeMin, .size(0...1_000_000_000_000),
            "What uploads leave free on their disk.",
            "Beyond it they are answered 507: a full disk would hurt the store more than a missing picture."),
        Setting(
            "media-grace", .media, \.mediaGrace, .duration(.seconds(1) ... .seconds(31_536_000)),
            "After how long a file is deleted that nothing shows.",
            "Since its upload; one that was shown stays for up to two hours more. Elements and people show files."),
        Setting(
            "downloads-max", .media, \.downloadsMax, .count(4...100_000),
            "How many uploaded files may be sent at a time; one address may have a quarter.",
            """
            Beyond it the answer is 503 with Retry-After. Each one takes a file descriptor besides its connection's, and \
            128 KiB of memory. Loopback and trusted proxies may have all of them.
            """),
    ]
}
