import Board
import CConsole

/// The console's page with all that it loads, compiled into the program.
enum ConsoleFiles {
    static let embedded: [BoardFile] = {
        var count = 0
        let files = UnsafeBufferPointer(start: rooms_console_files(&count), count: count)
        return files.map { file in
            BoardFile(
                name: String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }()

    /// By path. The page itself is at the root of the console.
    static let byPath: [String: BoardFile] = {
        var files: [String: BoardFile] = [:]
        for file in embedded { files["/console/" + file.name] = file }
        files["/console"] = files.removeValue(forKey: "/console/index.html")
        files["/console/"] = files["/console"]
        return files
    }()
}
