import Glibc

/// Why a recording cannot be written or read.
package enum RecordingFault: Error, Equatable, CustomStringConvertible {
    /// The error number of a call for a file.
    case file(String, Int32)
    /// The file does not begin as a recording of a version that is known here.
    case notARecording(String)
    /// The file is one of an earlier version, and has what is hidden from those who come later.
    case notClean(String)
    /// What keeps recordings elsewhere has failed: a sentence.
    case depot(String)
    /// A block in the middle of the file is damaged.
    case damaged(String, at: Int)

    package var description: String {
        switch self {
        case .file(let path, let number): "\(path): \(String(cString: strerror(number)))"
        case .notARecording(let path): "\(path) is no recording of a room, or is one of a later version."
        case .notClean(let path): "\(path) is from an earlier version, and has addresses and dates of birth."
        case .depot(let reason): reason
        case .damaged(let path, let place): "\(path) is damaged at byte \(place)."
        }
    }
}
