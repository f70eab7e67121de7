import API
import Glibc
import Recorder
import Transport

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// The hard limit, up to which a process may raise its own limit.
    package static var most: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }

    /// Raises the limit to the need of the configuration, as far as the hard limit allows. Returns the new limit.
    ///
    /// It is not raised further: libwebsockets keeps a table of that size.
    @discardableResult
    package static func raise(for configuration: ServerConfiguration) -> Int {
        raise(to: needed(by: configuration))
    }

    @discardableResult
    package static func raise(to count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = min(rlim_t(count), limit.rlim_max)
        guard wanted > limit.rlim_cur else { return Int(clamping: limit.rlim_cur) }
        limit.rlim_cur = wanted
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return most }
        return Int(wanted)
    }

    /// One for each connection and for each file that is uploaded, recorded or sent, some for each thread's loop and listening sockets,
    /// some for the store and keys.
    package static func needed(by configuration: ServerConfiguration) -> Int {
        configuration.connectionsMax + reserve(for: configuration)
    }

    static func reserve(for configuration: ServerConfiguration) -> Int {
        // Recordings that are sent share the bound of uploaded files.
        let sendsFiles = configuration.mediaDirectory != nil || configuration.writesRecordings
        let files = sendsFiles ? MediaService.descriptorsMax(downloads: configuration.downloadsMax) : 0
        let recorded = configuration.writesRecordings ? configuration.recordingLimits.openMax : 0
        return 64 + files + recorded + configuration.threads * (16 + configuration.addresses.count)
    }
}
