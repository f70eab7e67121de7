import CSystem
import Glibc

/// What the system says of this process.
struct ProcessReading: Sendable {
    let cpuSeconds: Double
    let residentBytes: Int
    /// Allocated memory. The rest of the resident memory is kept for reuse, or does not belong to the heap.
    let heapBytes: Int
    let virtualBytes: Int
    let openDescriptors: Int
    let descriptorsMax: Int
    /// Since 1970.
    let startSeconds: Double

    static func now() -> ProcessReading {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let memory = memoryBytes()
        return ProcessReading(
            cpuSeconds: cpuSecondsSpent(),
            residentBytes: memory.resident,
            heapBytes: heapBytes(),
            virtualBytes: memory.virtual,
            openDescriptors: descriptorCount(), descriptorsMax: Int(clamping: limit.rlim_cur),
            startSeconds: startSeconds)
    }

    static func cpuSecondsSpent() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// `own` is the resident memory that is not part of a file, such as a program.
    static func memoryBytes() -> (virtual: Int, resident: Int, own: Int) {
        let bytes = text(of: "/proc/self/statm").split(separator: " ").prefix(3)
            .map { (Int($0) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) }
        guard bytes.count == 3 else { return (0, 0, 0) }
        return (bytes[0], bytes[1], bytes[1] - bytes[2])
    }

    static func heapBytes() -> Int {
        let heap = mallinfo2()
        return Int(clamping: heap.uordblks) + Int(clamping: heap.hblkhd)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // `.`, `..`, and the one that reads them.
        return max(count - 3, 0)
    }

    /// In ticks of the clock since the system's start, behind the name of the program, which may hold anything.
    static let startSeconds: Double = {
        let stat = text(of: "/proc/self/stat")
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let boot = text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard fields.count > 20, let ticks = Double(fields[20]), let began = boot.flatMap({ Double($0.dropFirst(6)) })
        else { return 0 }
        return began + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count > 0, all.count < 1 << 20 else { return String(decoding: all, as: UTF8.self) }
            all += part[..<count]
        }
    }
}
