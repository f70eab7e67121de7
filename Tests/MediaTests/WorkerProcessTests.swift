import Foundation
import Testing
import Threads

@testable import Media

struct WorkerProcessTests {
    private func shell(_ script: String, outputs: [Int32] = [], milliseconds: Int = 10_000) throws
        -> WorkerProcess.Outcome
    {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return try WorkerProcess(
            executable: "/bin/sh", arguments: ["-c", script], input: null, outputs: outputs
        ).run(milliseconds: milliseconds)
    }

    @Test func `what it says is heard when it ends well`() throws {
        #expect(try shell("echo ok 1") == .said("ok 1"))
        #expect(try shell("echo ok 1; exit 1") == .unfinished("it ended with 1"))
        // A program whose libraries are not there.
        #expect(try shell("exit 127") == .unfinished("it ended with 127"))
        #expect(try shell("printf ok") == .unfinished("it ended without a report"))
        #expect(try shell("exit 0") == .unfinished("it ended without a report"))
        #expect(try shell("while :; do echo much; done") == .unfinished("signal 9 has ended it"))
    }

    @Test func `the processor time of a file is told from an end that says nothing about the file`() throws {
        #expect(try shell("kill -XCPU $$") == .tooCostly)
        #expect(try shell("ulimit -S -t 1; while :; do :; done") == .tooCostly)
        for signal in [SIGSEGV, SIGKILL, SIGABRT, SIGTRAP] {
            #expect(try shell("echo ok; kill -\(signal) $$") == .unfinished("signal \(signal) has ended it"))
        }
    }

    @Test func `one that takes too long is ended`() throws {
        #expect(
            try shell("echo ok; exec sleep 100", milliseconds: 200) == .unfinished("it took longer than 200 ms"))
        // One that says that it is done and is not.
        #expect(try shell("echo ok; exec sleep 100 >&-") == .unfinished("signal 9 has ended it"))
    }

    @Test(.timeLimit(.minutes(1))) func `one that is not wanted any more is ended`() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let looks = Locked(0)
        let process = WorkerProcess(
            executable: "/bin/sh", arguments: ["-c", "exec sleep 1000"], input: null, outputs: [],
            isCancelled: {
                looks.withLock { looks in
                    looks += 1
                    return looks > 2
                }
            })
        #expect(try process.run(milliseconds: 1_000_000) == .cancelled)
    }

    @Test func `it has nothing of the server but the files that it is given`() throws {
        setenv("ROOMS_TEST_SECRET", "secret", 1)
        let kept = open("/dev/null", O_RDONLY)
        defer { close(kept) }
        let said = try shell(
            "echo $(ls /proc/self/fd | wc -l) $ROOMS_TEST_SECRET $(env | grep -c ROOMS)", outputs: [kept])
        // Four, and the one through which `ls` reads them.
        #expect(said == .said("5 0"))
    }

    @Test func `files arrive at their numbers whatever they were before`() throws {
        let directory = TemporaryDirectory()
        let outputs = (0..<6).map { open(directory.path + "/\($0)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }.reversed()
        defer { for output in outputs { close(output) } }
        let said = try shell("for i in 3 4 5 6 7 8; do echo $i >&$i; done; echo ok", outputs: Array(outputs))
        #expect(said == .said("ok"))
        for (place, _) in outputs.enumerated() {
            let text = try String(contentsOfFile: directory.path + "/\(5 - place)", encoding: .utf8)
            #expect(text == "\(place + 3)\n")
        }
    }

    @Test func `a program that is not there is told`() {
        let process = WorkerProcess(executable: "/nowhere/rooms-media", arguments: [], input: 0, outputs: [])
        #expect(throws: MediaError.workerFailed("/nowhere/rooms-media: No such file or directory")) {
            try process.run(milliseconds: 1_000)
        }
    }

    @Test func `what it is told comes through its arguments`() throws {
        var limits = MediaLimits()
        let video = MediaTask.Video(pixelsMax: 1, secondsMax: 2, tracksMax: 3, sideMax: 4)
        let tasks = [MediaTask.image(.heic, pixelsMax: 10, sides: [4, 5]), .sound(.ogg), .video(.mov, video), .probe]
        for task in tasks {
            for mayBeUnsealed in [false, true] {
                limits.workerMayBeUnsealed = mayBeUnsealed
                let read = try #require(MediaTask.read(task.arguments(limits)))
                #expect(read.task == task)
                #expect(read.bounds.seconds == limits.workerSecondsMax)
                #expect(read.bounds.mayBeUnsealed == mayBeUnsealed)
            }
        }
        let bounds = ["1", "2", "3", "sealed"]
        for wrong in [
            [], bounds, bounds + ["image", "jpeg"], bounds + ["sound", "jpeg"], bounds + ["probe", "jpeg"],
            bounds + ["sound", "mp4"], bounds + ["video", "m4a", "1", "2", "3", "4"],
            bounds + ["video", "mp4", "1", "2"],
            bounds + ["image", "jpeg", "x", "4"], ["1", "2", "x", "sealed", "sound", "mp3"],
            ["1", "2", "3", "perhaps", "sound", "mp3"], ["1", "2", "3", "sound", "mp3"],
        ] {
            #expect(MediaTask.read(wrong) == nil)
        }
    }

    @Test func `whether it can be sealed is found out before there is a file`() throws {
        #expect(try MediaWorker(executable: Stage.executable, limits: MediaLimits()).canSeal())
        #expect(throws: MediaError.workerFailed("/nowhere/rooms-media: No such file or directory")) {
            try MediaWorker(executable: "/nowhere/rooms-media", limits: MediaLimits()).canSeal()
        }
    }
}
