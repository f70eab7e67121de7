import CImaging
import Glibc
import Media

/// The program that processes one file. Descriptor 0 is the file, 1 takes the report, 3 and up take the results.
///
/// It limits itself before it reads a byte, and seals itself off from everything but these descriptors. If it cannot,
/// it reads nothing, unless it is told to.
enum MediaProcess {
    static func main() -> Never {
        guard let (bounds, task) = MediaTask.read(Array(CommandLine.arguments.dropFirst())) else {
            _ = write(Array("rooms-media is started by rooms, for one uploaded file each.\n".utf8), to: 2)
            exit(2)
        }
        var limits = rooms_process_limits(
            cpu_seconds: bounds.seconds, memory_bytes: bounds.memoryBytes, file_bytes: bounds.fileBytes)
        rooms_limit_process(&limits)
        // Libraries are loaded before the seal, which would keep them from being found.
        if case .sound = task {} else { guard rooms_imaging_start() else { exit(3) } }
        let isSealed = rooms_seal_process()
        switch task {
        case .probe: report(isSealed ? "ok" : "unsealed")
        case _ where !isSealed && !bounds.mayBeUnsealed: report("unsealed")
        case .image(let format, let pixelsMax, let sides): processImage(format, pixelsMax, sides)
        case .sound(let format): processSound(format)
        }
    }

    private static func processImage(_ format: MediaFormat, _ pixelsMax: Int, _ sides: [Int]) -> Never {
        let outputs = sides.indices.map { Int32($0) + 3 }
        let result = outputs.withUnsafeBufferPointer { outputs in
            sides.map(Int32.init).withUnsafeBufferPointer { sides in
                var job = rooms_image_job(
                    input: 0, format: cFormat(format), pixels_max: pixelsMax, outputs: outputs.baseAddress,
                    sides: sides.baseAddress, output_count: sides.count)
                return rooms_image_process(&job)
            }
        }
        switch result.fault {
        case rooms_image_ok: report("ok \(result.width) \(result.height) \(result.written)")
        case rooms_image_too_many_pixels: report("pixels")
        case rooms_image_unwritten: report(isDiskFull(3) ? "full" : "unwritten")
        case rooms_image_too_costly: report("costly")
        default: report("damaged")
        }
    }

    private static func cFormat(_ format: MediaFormat) -> rooms_image_format {
        switch format {
        case .png: rooms_image_png
        case .webp: rooms_image_webp
        case .heic: rooms_image_heic
        default: rooms_image_jpeg
        }
    }

    private static func processSound(_ format: MediaFormat) -> Never {
        guard let bytes = readInput() else { report("damaged") }
        do throws(AudioError) {
            let clean = try CleanAudio(bytes, format: format)
            guard write(clean.bytes, to: 3) else { report(isDiskFull(3) ? "full" : "unwritten") }
            report("ok \(clean.duration) \(clean.format.rawValue)")
        } catch {
            report(error == .unsupported ? "unsupported" : "damaged")
        }
    }

    private static func readInput() -> [UInt8]? {
        let size = lseek(0, 0, SEEK_END)
        guard size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(0, $0.baseAddress?.advanced(by: count), $0.count - count, count)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            count += got
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            count += written
        }
        return true
    }

    /// Libraries do not tell why a write failed; a page that cannot be written tells.
    private static func isDiskFull(_ descriptor: Int32) -> Bool {
        let page = [UInt8](repeating: 0, count: 4096)
        return Glibc.write(descriptor, page, page.count) < 0 && (errno == ENOSPC || errno == EDQUOT)
    }

    private static func report(_ line: String) -> Never {
        _ = write(Array((line + "\n").utf8), to: 1)
        // Skips the clean-up of libraries, which is not needed any more.
        _exit(0)
    }
}
