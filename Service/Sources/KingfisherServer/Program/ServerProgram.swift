import Dispatch
import Foundation
import Glibc
import Kingfisher
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// What the program `kingfisher-server` does besides serving: signals, descriptors and its first lines.
public enum ServerProgram {
    /// Serves until SIGTERM or SIGINT, and then until the responses in progress have ended. A second signal
    /// ends the process at once.
    public static func serve(_ loaded: LoadedServerSettings) async throws {
        let settings = loaded.settings
        try Descriptors.raiseLimit(for: settings.load.connections)
        let logger = LineLogHandler.logger(level: settings.logLevel, json: settings.logsJSON)
        let notifier = SystemdNotifier()
        let server = try ImageServer(settings, logger: logger) { ports in
            let address = address(settings.listen, ports.clients)
            say("serving at \(address)")
            for path in ExampleURLs.paths(settings) { say("try \(address.dropLast())\(path)") }
            if let admin = settings.adminListen { say("operators at \(Self.address(admin, ports.admin))") }
            notifier.isReady()
        }
        if let decoders = server.decoders { say(decoders) }
        let signals = RepeatedSignals([SIGTERM, SIGINT]) {
            say("stopping after the responses in progress; a second signal stops at once")
        }
        defer { signals.cancel() }
        async let _ = notifier.reportLife()
        // The last one is the first to shut down.
        let group = ServiceGroup(
            services: [server, notifier], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
        say("stopped")
    }

    private static func address(_ listener: ServerSettings.Listener, _ port: Int?) -> String {
        switch listener {
        case .tcp(let host, let wanted):
            "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? wanted)/"
        case .unix, .systemd: listener.text + (port.map { ", port \($0) " } ?? "")
        }
    }

    /// Writes a line to standard error.
    private static func say(_ text: String) {
        FileHandle.standardError.write(Data("kingfisher-server: \(text)\n".utf8))
    }
}

/// The limit of open files and connections of the process.
enum Descriptors {
    /// Files of the caches, transfers and decoder processes.
    static let others = 512

    struct TooFew: Error, CustomStringConvertible {
        let needed: Int
        let limit: Int

        var description: String {
            "\(needed) file descriptors are needed for these connections, and the limit is \(limit): "
                + "raise it (LimitNOFILE= of systemd, ulimit -n), or lower the setting connections."
        }
    }

    /// Raises the soft limit to the hard one. Throws if that is too low for the connections.
    static func raiseLimit(for connections: Int) throws(TooFew) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let allowed = Int(clamping: limit.rlim_max)
        let needed = connections + others
        if allowed < needed { throw TooFew(needed: needed, limit: allowed) }
    }
}

/// Ends the process at the second of some signals. Unchecked: sources of Dispatch are safe from any thread.
private final class RepeatedSignals: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ signals: [Int32], whenFirst: @escaping @Sendable () -> Void) {
        let count = Atomic(0)
        sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
            source.setEventHandler {
                if count.add(1, ordering: .relaxed).newValue > 1 { _exit(128 + signal) }
                whenFirst()
            }
            source.resume()
            return source
        }
    }

    func cancel() { for source in sources { source.cancel() } }
}
