import CImaging
import Glibc
import Media
import Sealing

/// The program that processes one file. Descriptor 0 is the file, 1 takes the report, 3 and up take the results.
///
/// It limits itself before it reads a byte, and seals itself off from everything but these descriptors. If it cannot,
/// it reads nothing, unless it is told to.
enum MediaProcess {
    static func main() -> Never {
        let (bounds, task) = SealedProcess.begin(program: "rooms-media")
        // Libraries are loaded before the seal, which would keep them from being found.
        switch task {
        case .image(let format, _, _): guard rooms_imaging_start(format == .heic) else { exit(3) }
        case .probe: guard rooms_imaging_start(false) else { exit(3) }
        case .sound, .video: break
        }
        SealedProcess.seal(bounds, task)
        switch task {
        case .image(let format, let pixelsMax, let sides): processImage(format, pixelsMax, sides)
        case .sound(let format): processSound(format)
        case .probe, .video: exit(2)
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
        case rooms_image_ok: SealedProcess.report("ok \(result.width) \(result.height) \(result.written)")
        case rooms_image_too_many_pixels: SealedProcess.report("pixels")
        case rooms_image_unwritten: SealedProcess.report(SealedProcess.isDiskFull(3) ? "full" : "unwritten")
        case rooms_image_too_costly: SealedProcess.report("costly")
        default: SealedProcess.report("damaged")
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
        guard let bytes = readInput() else { SealedProcess.report("damaged") }
        do throws(AudioError) {
            let clean = try CleanAudio(bytes, format: format)
            guard SealedProcess.write(clean.bytes, to: 3) else {
                SealedProcess.report(SealedProcess.isDiskFull(3) ? "full" : "unwritten")
            }
            SealedProcess.report("ok \(clean.duration) \(clean.format.rawValue)")
        } catch {
            SealedProcess.report(error == .unsupported ? "unsupported" : "damaged")
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
}
