/// Files that people upload.
extension Settings {
    static let media: [Setting] = [
        Setting(
            "media", .media, optional: \.media, .path("DIR"),
            "Directory for uploaded files; by default `media` in the data directory.",
            """
            It needs a disk with enough space. The server makes the directory if it is missing. Only one server at a \
            time may use it, unless all are nodes of one cluster. With media-bucket it has only files on their way and \
            copies of files in use, and belongs to one server.
            """),
        Setting(
            "media-bucket", .media, optional: \.mediaBucket, .bucketURL,
            "The bucket of an S3-compatible store that holds the uploaded files.",
            """
            The name of the bucket comes after the address of the store, and a prefix for the names of all objects may \
            come after that. The bucket must not be public: clients get files from this server, and recordings are for \
            members.
            """),
        Setting(
            "media-bucket-region", .media, \.mediaBucketRegion, .text(most: 64),
            "The region that requests to the bucket are signed for.",
            "Stores that have no regions take any."),
        Setting(
            "media-bucket-key-id", .media, optional: \.mediaBucketKeyID, .text(most: 128),
            "The id of the key that signs requests to the bucket.",
            "The key has to allow listing the bucket, and reading, writing and deleting its objects."),
        Setting(
            "media-bucket-key", .media, optional: \.mediaBucketKey, .bucketKey,
            "The key that signs requests to the bucket. Better given as a file.",
            "As with auth-secret: other users and programs can read options and the environment."),
        Setting(
            "media-bucket-key-file", .media, optional: \.mediaBucketKeyFile, .path("FILE"),
            "File that holds the key that signs requests to the bucket.",
            """
            A line end after the key is not part of it. Only the server's user should be able to read the file (mode \
            0400).
            """),
        Setting(
            "media-bucket-ca-file", .media, optional: \.mediaBucketCAFile, .path("FILE"),
            "File of the authorities that vouch for the store of the bucket, in PEM.",
            "Without it those of the system do."),
        Setting(
            "media-cache-max", .media, \.mediaCacheMax, .size(0...1_000_000_000_000),
            "How much of the disk copies of files in a bucket may take.",
            """
            The oldest copies go first. None is served for more than an hour: another node may have deleted the file. \
            Files on their way do not count.
            """),
        Setting(
            "public-url", .media, optional: \.publicURL, .publicURL,
            "The server's address for clients; URLs of uploaded files begin with it.",
            """
            Without it each client gets URLs with the name that its request used, and with https if its connection to \
            this server uses TLS. So it is needed behind a proxy that ends TLS. With auth open it is also the one \
            name, besides localhost, under which the server answers.
            """),
        Setting(
            "avatar-bytes-max", .media, \.avatarBytesMax, .size(1_000...1_000_000_000),
            "The largest profile picture that a user may upload.",
            """
            Past it the answer is 413. If the request tells its length, the server answers before it reads the body.
            """),
        Setting(
            "photo-bytes-max", .media, \.photoBytesMax, .size(1_000...1_000_000_000),
            "The largest photo that a user may upload.",
            "As with avatars. The server encodes the photo anew, with at most 4,096 pixels a side."),
        Setting(
            "audio-bytes-max", .media, \.audioBytesMax, .size(1_000...1_000_000_000),
            "The largest recording that a user may upload.",
            "As with avatars. A quarter of an hour in good quality takes 15 MB."),
        Setting(
            "upload-bytes-max", .media, \.uploadBytesMax, .size(1_000...1_000_000_000),
            "The largest photo or video that an application's user may upload in a request.",
            "As with avatars. Larger ones come in chunks."),
        Setting(
            "chunked-bytes-max", .media, \.chunkedBytesMax, .size(1_000...10_000_000_000),
            "The largest photo or video that a user of an application may upload in chunks.",
            "Past it the answer to the beginning of the upload is 413."),
        Setting(
            "chunked-time-max", .media, \.chunkedTimeMax, .duration(.seconds(60) ... .seconds(30 * 86_400)),
            "How long an upload in chunks may take.",
            "Past it the upload is abandoned, and its chunks are deleted."),
        Setting(
            "image-pixels-max", .media, \.imagePixelsMax, .count(10_000...1_000_000_000),
            "How many pixels an uploaded image may have.",
            """
            The server checks it before it decodes the image. Past it the answer is 422. Phones take photos of 50 \
            million pixels.
            """),
        Setting(
            "media-time-max", .media, \.mediaTimeMax, .duration(.seconds(1) ... .seconds(600)),
            "How much processor time the work on an uploaded file may take.",
            "In whole seconds. Past it, or past three times as much by the clock, the answer is 422."),
        Setting(
            "media-memory-max", .media, \.mediaMemoryMax, .size(600_000_000...64_000_000_000),
            "How much memory the process that works on an uploaded file may have.",
            "It limits the address space, of which the process's libraries take 400 MB. Past it the answer is 422."),
        Setting(
            "media-unsealed", .media, \.mediaUnsealed, .flag,
            "Work on uploaded files also where the process that does it cannot be sealed off.",
            """
            A hostile file may take over a decoder. The seal (seccomp) keeps it from files, the network and other \
            programs. The kernel, a container or the processor (other than x86-64 and arm64) may refuse the seal. The \
            server then says so when it starts, and answers uploads with 503 unless this setting is on.
            """),
        Setting(
            "media-free-min", .media, \.mediaFreeMin, .size(0...1_000_000_000_000),
            "How much space uploads leave free on their disk.",
            """
            With less free space, uploads are answered 507: a full disk would hurt the store more than a missing \
            picture.
            """),
        Setting(
            "media-grace", .media, \.mediaGrace, .duration(.seconds(1) ... .seconds(31_536_000)),
            "After how long the server deletes a file that no element and no profile shows.",
            "The time counts from the upload. A file that was shown before stays for up to two hours more."),
        Setting(
            "downloads-max", .media, \.downloadsMax, .count(4...100_000),
            "How many files and recordings are sent at a time; one address may have a quarter.",
            """
            Past it the answer is 503 with Retry-After. Each download takes a file descriptor besides its \
            connection's, and 128 KiB of memory. Loopback and trusted proxies may have all of them.
            """),
    ]
}
