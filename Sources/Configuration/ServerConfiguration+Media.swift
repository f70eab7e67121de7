import Media

extension ServerConfiguration {
    /// The directory of uploaded files; nil on a server that keeps none.
    package var mediaDirectory: String? { media ?? data.map { $0 + "/media" } }

    package var mediaLimits: MediaLimits {
        var limits = MediaLimits()
        limits.avatarBytesMax = avatarBytesMax
        limits.photoBytesMax = photoBytesMax
        limits.audioBytesMax = audioBytesMax
        limits.uploadBytesMax = uploadBytesMax
        limits.chunkedBytesMax = chunkedBytesMax
        limits.chunkedSecondsMax = chunkedTimeMax.wholeMilliseconds / 1_000
        limits.imagePixelsMax = imagePixelsMax
        limits.workerSecondsMax = (mediaTimeMax.wholeMilliseconds + 999) / 1_000
        limits.workerMillisecondsMax = 3_000 * limits.workerSecondsMax
        limits.workerMemoryBytesMax = mediaMemoryMax
        limits.workerMayBeUnsealed = mediaUnsealed
        limits.diskFreeBytesMin = mediaFreeMin
        return limits
    }
}
