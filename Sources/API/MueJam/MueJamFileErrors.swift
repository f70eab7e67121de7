import Media
import Wire

/// The failures of the guide about files, and about others that the server needs.
extension APIError {
    private static let formats = ["heic", "heif", "jpg", "jpeg", "png", "mp4", "mov"]

    /// - Parameter error: what the fault means to clients of other groups.
    static func mueJam(_ fault: FileFault, _ error: APIError) -> APIError {
        switch fault.error {
        case .tooLarge(let most): return .fileTooLarge(fault.byteCount ?? most, most: most)
        case .unsupportedFormat: return .unsupportedFormat(format(of: fault.filename))
        case .tooCostly where !fault.isKept, .unfinished where !fault.isKept:
            return .externalTimeout("image_processing", seconds: 30)
        case .storeFull: return .storage(fault.service, "full")
        case .storeFailed(let reason):
            return .storage(fault.service, reason.contains("too long") ? "timeout" : "unavailable")
        default: return error
        }
    }

    static func fileTooLarge(_ byteCount: Int, most: Int) -> APIError {
        mueJam(
            413, "FILE_TOO_LARGE", "File size exceeds the maximum allowed size for mobile uploads",
            guidance: "Reduce file size or use chunked upload for files larger than 50MB"
        ) { json in
            json.member("file_size", byteCount)
            json.member("max_size", most)
            json.member("max_size_mb", most % (1 << 20) == 0 ? most >> 20 : most / 1_000_000)
        }
    }

    static func unsupportedFormat(_ format: String) -> APIError {
        mueJam(
            422, "UNSUPPORTED_FORMAT", "The uploaded file format is not supported",
            guidance: "Convert the file to a supported format and retry"
        ) { json in
            json.member("provided_format", format)
            json.texts("supported_formats", formats)
        }
    }

    /// What a file's name ends in.
    static func format(of filename: String?) -> String {
        guard let filename, let dot = filename.lastIndex(of: "."), dot != filename.startIndex else { return "unknown" }
        let end = filename[filename.index(after: dot)...]
        return end.isEmpty ? "unknown" : end.prefix(16).lowercased()
    }

    private static func storage(_ service: String, _ kind: String) -> APIError {
        mueJam(
            502, "STORAGE_SERVICE_ERROR", "Failed to upload file due to storage service error",
            guidance: "Wait a few moments and retry the upload"
        ) { json in
            json.member("service", service)
            json.member("error_type", kind)
        }
    }

    static func externalTimeout(_ service: String, seconds: Int) -> APIError {
        mueJam(
            504, "EXTERNAL_SERVICE_TIMEOUT", "Request timed out while communicating with external service",
            guidance: "Retry the request. If the problem persists, try a smaller file."
        ) { json in
            json.member("service", service)
            json.member("timeout_seconds", seconds)
        }
    }

    /// - Parameter isRepeated: whether the server goes on to try.
    static func pushService(_ service: String, _ kind: String, isRepeated: Bool) -> APIError {
        mueJam(
            502, "PUSH_SERVICE_ERROR", "Failed to send push notification due to external service error",
            guidance: isRepeated
                ? "The notification will be retried automatically. No action needed."
                : "Correct the token or the server's settings, and send another notification"
        ) { json in
            json.member("service", service)
            json.member("error_type", kind)
        }
    }
}
