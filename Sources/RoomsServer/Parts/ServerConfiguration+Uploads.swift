import API
import Buckets
import Configuration
import Logging
import Media

extension ServerConfiguration {
    /// Makes ready for uploads; nil where none are kept.
    func mediaService(_ worker: UploadWorker, _ logger: Logger) throws(MediaError) -> MediaService? {
        guard let directory = mediaDirectory else { return nil }
        return try MediaService(
            // A disk answers sooner than a bucket.
            store: try mediaStore(directory), waitersMax: mediaBucket == nil ? 4 : 16, executable: worker.executable,
            limits: mediaLimits, downloadsMax: downloadsMax
        ) { reason in
            logger.error("a file could not be kept", ["reason": reason])
        }
    }

    private func mediaStore(_ directory: String) throws(MediaError) -> any MediaStore {
        let files = try DirectoryMediaStore(directory: directory, node: clusterNode, freeBytesMin: mediaFreeMin)
        guard let bucket else { return files }
        // Files that the directory has had before there was a bucket stay where they are.
        let cache = try DirectoryMediaStore(
            directory: directory + "/cache", node: clusterNode, freeBytesMin: mediaFreeMin)
        return BucketMediaStore(bucket, cache: cache, cacheBytesMax: mediaCacheMax)
    }

    var bucket: Bucket? {
        guard let place = mediaBucket.flatMap(Bucket.Place.init), let keyID = mediaBucketKeyID, let key = mediaBucketKey
        else { return nil }
        let signer = BucketSigner(region: mediaBucketRegion, keyID: keyID, key: key.revealed())
        // Files from before a limit was lowered are larger than it allows.
        let bytesMax = max(2 * max(avatarBytesMax, photoBytesMax, audioBytesMax), chunkedBytesMax) + 256_000_000
        return Bucket(place, signer, caFile: mediaBucketCAFile, bytesMax: bytesMax)
    }
}
