import CVideo
import Glibc
import Media
import Sealing

/// The program that processes one video: the same pictures and sound without anything else, and a picture of it.
enum VideoProcess {
    static func main() -> Never {
        let (bounds, task) = SealedProcess.begin(program: "rooms-video")
        rooms_video_start()
        SealedProcess.seal(bounds, task)
        guard case .video(let format, let video) = task else { exit(2) }
        var job = rooms_video_job(
            input: 0, output: 3, poster: 4, side_max: Int32(clamping: video.sideMax), is_quicktime: format == .mov,
            pixels_max: Int64(video.pixelsMax), milliseconds_max: Int64(video.secondsMax) * 1_000,
            tracks_max: UInt32(clamping: video.tracksMax))
        let result = rooms_video_process(&job)
        switch result.fault {
        case rooms_video_ok: SealedProcess.report("ok \(result.width) \(result.height) \(result.milliseconds)")
        case rooms_video_unsupported: SealedProcess.report("unsupported")
        case rooms_video_too_many_pixels: SealedProcess.report("pixels")
        case rooms_video_too_long: SealedProcess.report("long")
        case rooms_video_unwritten: SealedProcess.report(SealedProcess.isDiskFull(3) ? "full" : "unwritten")
        case rooms_video_too_costly: SealedProcess.report("costly")
        default: SealedProcess.report("damaged")
        }
    }
}
