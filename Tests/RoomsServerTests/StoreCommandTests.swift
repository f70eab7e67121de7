import Foundation
import TestSupport
import Testing

@testable import RoomsServer

@Suite("Commands on a data directory")
struct StoreCommandTests {
    private static let header =
        #"{"type":"room","format":1,"id":"r","createdAt":10,"updatedAt":20,"seq":3,"forgottenSeq":0}"#
    private static let element =
        #"{"type":"element","id":"e","kind":"note","createdBy":"ann","createdAt":10,"createdSeq":1,"seq":3,"#
        + #""version":1,"values":[1,2.50,3,4,"hi",null,null,null,null,null]}"#
    private static let lines = [header, element, #"{"type":"end","lines":2}"#].joined(separator: "\n")

    @Test("import, export, back up, check and restore a room")
    func whole() throws {
        let scratch = try Scratch()
        let (data, other) = ("\(scratch.path)/data", "\(scratch.path)/other")
        let file = try scratch.write("room.ndjson", Self.lines)
        let imported = run("import", "--data", data, file)
        #expect(imported.code == .ok && imported.out == "Room r: 1 elements, 0 new accounts.\n", "\(imported.err)")
        #expect(run("export", "--data=\(data)", "r").out == Self.lines + "\n")
        let checked = run("check", "--data", data)
        #expect(checked.code == .ok && checked.err == "")
        #expect(checked.out.hasSuffix("1 rooms, 1 elements, 0 journal entries: nothing wrong\n"))
        let backup = "\(scratch.path)/backup"
        #expect(run("backup", backup, environment: ["ROOMS_DATA": data]).code == .ok)
        #expect(run("restore", "--data", other, backup).code == .ok)
        #expect(run("export", "--data", other, "r").out == Self.lines + "\n")
        #expect(run("restore", "--data", other, backup).err.contains("is there already"))
        #expect(run("restore", "--data", other, "--replace", backup).code == .ok)
        let configuration = try scratch.write("rooms.conf", "data = \(other)\nauth = hs256\nlisten = nonsense\n")
        #expect(run("check", "--config", configuration).code == .ok)
    }

    @Test("move a store, and check it where a file names it")
    func move() throws {
        let scratch = try Scratch()
        let (data, other) = ("\(scratch.path)/data", "\(scratch.path)/other")
        let file = try scratch.write("room.ndjson", Self.lines)
        #expect(run("import", "--data", data, file).code == .ok)
        let moved = run("move-store", data, other)
        #expect(moved.code == .ok && moved.out.contains("elements: 1 rows, equal\n"), "\(moved.err)")
        #expect(run("export", "--data", other, "r").out == Self.lines + "\n")
        #expect(run("move-store", data, other).err.contains("is not empty"))
        #expect(run("move-store", data, data).err.contains("are the same"))
        #expect(run("move-store", data).code == .usage)
        #expect(run("move-store", "--help").out == run("help", "move-store").out)
        let place = try scratch.write("place", "postgresql://ann:geheim@127.0.0.1:1/rooms?connect_timeout=2\n")
        for arguments in [["check", "--store-file", place], ["move-store", data, place]] {
            let failed = run(arguments)
            #expect(failed.code == .storage && failed.err.contains("Connection refused"), "\(failed.err)")
            #expect(!failed.err.contains("geheim"))
        }
        #expect(run("check", "--store", "mysql://ann:geheim@db/rooms").err.contains("is not a URL of PostgreSQL"))
        #expect(run("check", "--store-file", "\(scratch.path)/none").code != .ok)
    }

    @Test("say what is wrong, each with its exit code")
    func faults() throws {
        let scratch = try Scratch()
        let data = "\(scratch.path)/data"
        for command in ["backup", "restore", "check", "export", "import"] {
            let operand = command == "check" ? [] : ["x"]
            #expect(run([command] + operand).code == .configuration)
            #expect(run([command] + operand).err.contains("--data DIR"))
            #expect(run([command, "--data", data, "a", "b"]).code == .usage)
            #expect(run([command, "--data"]).code == .usage)
            #expect(run([command, "--nonsense", "--data", data] + operand).code == .usage)
            #expect(run([command, "--data", "/no/such/place"] + operand).code == .storage)
            #expect(run(command, "--help").out == run("help", command).out)
        }
        let file = try scratch.write("cut", String(Self.lines.dropLast(#"{"type":"end","lines":2}"#.count)))
        #expect(run("import", "--data", data, file).err.contains("The end is missing"))
        #expect(run("export", "--data", data, "r").err == "rooms: There is no such room.\n")
        #expect(run("check", "--data", data).code == .ok)
        try Data(repeating: 65, count: 9_000).write(to: URL(fileURLWithPath: "\(data)/rooms.db"))
        #expect(run("check", "--data", data).code == .badData)
        #expect(run("backup", "--data", data, "\(scratch.path)/b").code == .badData)
    }
}
