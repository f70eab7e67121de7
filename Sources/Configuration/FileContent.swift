import Glibc

/// Why a file could not be read, as a phrase that follows its path.
package struct FileFault: Error, Equatable {
    package let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    static func system(_ code: Int32 = errno) -> FileFault {
        switch code {
        case ENOENT: FileFault("does not exist")
        case EACCES, EPERM: FileFault("may not be read or written by this user")
        case EISDIR: FileFault("is a directory")
        case ENOTDIR: FileFault("leads through something that is no directory")
        default: FileFault("cannot be read: \(String(cString: strerror(code)))")
        }
    }
}

/// Small files that a server reads when it starts.
package enum FileContent {
    package static func read(_ path: String, bytesMax: Int) -> Result<[UInt8], FileFault> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return .failure(.system()) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.system()) }
            if count == 0 { return .success(bytes) }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else {
                return .failure(FileFault("is larger than \(SizeText.format(bytesMax))"))
            }
        }
    }

    /// Whether users other than the file's owner and group may read it.
    static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
    }

    /// Whether users other than a directory's owner and group may list it, or open a file in it whose name they know.
    static func isOpenToAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & (S_IROTH | S_IWOTH | S_IXOTH) != 0
    }

    package enum Kind {
        case file, directory, socket, other
    }

    /// What lies at a path; nil if nothing does.
    package static func kind(_ path: String) -> Kind? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .directory
        case S_IFSOCK: return .socket
        default: return .other
        }
    }

    static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// The directory that a path's last part lies in.
    static func parent(_ path: String) -> String {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}
