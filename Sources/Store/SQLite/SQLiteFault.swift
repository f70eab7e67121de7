import CSQLite
import Glibc

/// The meanings of SQLite's result codes.
enum SQLiteFault {
    /// - Parameters:
    ///   - code: also an extended one.
    ///   - system: the system's last error, if there was one. SQLite keeps none for failures while a transaction is
    ///     stored.
    static func error(
        _ handle: OpaquePointer, _ code: Int32, _ place: SQLiteConnection.Place, system: Int32 = 0
    ) -> StoreError {
        let path = place.shown
        switch code & 0xff {
        case SQLITE_FULL: return .diskFull(path)
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path)
        case SQLITE_CORRUPT: return .corrupt(path)
        case SQLITE_NOTADB: return .notAStore(path)
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path)
        case SQLITE_CANTOPEN, SQLITE_IOERR:
            let kept = sqlite3_system_errno(handle)
            return Self.system(kept == 0 ? system : kept, code, path)
        default: return .failed(path, detail: "SQLite says \(String(cString: sqlite3_errmsg(handle))) (\(code))")
        }
    }

    private static func system(_ number: Int32, _ code: Int32, _ path: String) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .diskFull(path)
        case EACCES, EPERM, EROFS: .readOnly(path)
        case 0: .failed(path, detail: "SQLite says \(String(cString: sqlite3_errstr(code))) (\(code))")
        default: .failed(path, detail: "\(String(cString: strerror(number))) (\(code))")
        }
    }
}
