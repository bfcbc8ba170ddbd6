import Foundation
import Glibc
import KingfisherSharedCache
import Synchronization

/// A redis-server of Debian on a free port of 127.0.0.1, with a temporary folder. Stopped at the end.
final class RedisServer: Sendable {
    /// Another engine with Redis's protocol and options, such as valkey-server, may be named.
    private static let program = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["KINGFISHER_ENGINE"] ?? "/usr/bin/redis-server")

    let port: Int
    let folder: URL
    private let arguments: [String]
    private let process = Mutex<Process?>(nil)

    /// - Parameter arguments: Options after those for port, folder and persistence.
    init(_ arguments: [String] = [], tls: Bool = false, folder: URL? = nil) async throws {
        port = try Self.freePort()
        self.folder =
            folder ?? FileManager.default.temporaryDirectory.appending(path: "kf-redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        self.arguments =
            (tls ? ["--port", "0", "--tls-port", "\(port)"] : ["--port", "\(port)"])
            + ["--bind", "127.0.0.1", "--save", "", "--dir", self.folder.path, "--logfile", "log"] + arguments
        try await start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server, and waits until it accepts connections.
    func start() async throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        let end = ContinuousClock.now + .seconds(10)
        while !Self.accepts(port) {
            guard ContinuousClock.now < end, process.isRunning else { throw CocoaError(.fileReadUnknown) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func stop() {
        guard let process = process.withLock({ $0 }), process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Suspends the process, so that the kernel still accepts connections but nothing is answered.
    func suspend() { send(SIGSTOP) }

    func resume() { send(SIGCONT) }

    private func send(_ signal: Int32) {
        if let process = process.withLock({ $0 }) { kill(process.processIdentifier, signal) }
    }

    func configuration(_ query: String = "") throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(
            url: "redis://127.0.0.1:\(port)/\(query)", environment: [:])
        // The machine may be busy.
        configuration.connectTimeout = .seconds(5)
        configuration.responseTimeout = .seconds(5)
        return configuration
    }

    func client() throws -> NIORedisClient { try NIORedisClient(configuration()) }

    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A connected socket, which the caller closes.
    func connect() throws -> Int32 {
        guard let descriptor = Self.connect(port) else { throw CocoaError(.fileReadUnknown) }
        return descriptor
    }

    private static func accepts(_ port: Int) -> Bool { connect(port).map { close($0) == 0 } ?? false }

    private static func connect(_ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
