import Configuration
import Rooms
import Wire

extension Command {
    /// Replays the inputs of rooms.
    static let refly = Command(
        name: "refly", usage: "refly FILE …", summary: "Replay what flight-recorder has kept, and compare.",
        page: { reflyPage }
    ) { context in
        if context.arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            context.standardOutput(reflyPage)
            return .ok
        }
        if let option = context.arguments.first(where: { $0.hasPrefix("-") }) {
            return context.refuse("there is no option \"\(RawSettings.shown(option))\".", help: "rooms help refly")
        }
        guard !context.arguments.isEmpty else { return context.refuse("FILE is missing.", help: "rooms help refly") }
        let codes = context.arguments.map { refly($0, context) }
        return codes.first { $0 != .ok } ?? .ok
    }

    private static let fileBytesMax = 64 << 30

    private static func refly(_ path: String, _ context: CommandContext) -> ExitCode {
        let bytes: [UInt8]
        switch FileContent.read(path, bytesMax: fileBytesMax) {
        case .success(let read): bytes = read
        case .failure(let fault):
            context.standardError("rooms: \(path): it \(fault.problem)\n")
            return .storage
        }
        do throws(RecordFault) {
            let report = try Refly.run(bytes)
            context.standardOutput(
                "\(path): room \(report.roomID), ticks \(report.firstTick + 1) to \(report.lastTick), "
                    + "\(report.inputCount) inputs\(report.isCutOff ? ", cut off" : ""): "
                    + (report.differs.map { "tick \($0) differs" } ?? "all deltas are the same") + ".\n")
            return report.differs == nil ? .ok : .badData
        } catch {
            context.standardError("rooms: \(path) is damaged, or is no flight of a room.\n")
            return .badData
        }
    }
}

private let reflyPage = """
    Usage: rooms refly FILE …

    Replays files of the setting flight-recorder: from the state of the room at the beginning of a file,
    all that was done to it, through the code of this program. Each tick has to make the same bytes as
    on the server. A fault that ended the server ends this command at the same input.

    The exit code is 65 when a tick differs or a file is damaged. A file that was cut off by the end of
    a server is replayed up to there.

    Example:
      rooms refly data/flights/*.flight

    """
