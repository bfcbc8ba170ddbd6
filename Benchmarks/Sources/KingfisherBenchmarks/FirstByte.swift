import Dispatch
import Foundation
import Glibc
import Kingfisher
import Synchronization

/// The time from the call of a load with nothing cached until the first byte of its request arrives on
/// loopback, over an open connection. `count` returns the percentile in nanoseconds.
struct FirstByte: Workload {
    private static let loads = 2_000

    private let percentile: Int
    private let server: ArrivalServer
    private let manager: KingfisherManager

    init(path: String, percentile: Int) throws {
        self.percentile = percentile
        server = try ArrivalServer(body: Data(contentsOf: URL(fileURLWithPath: path)))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "first-byte"),
            cache: try ImageCache(name: "first-byte", cacheDirectoryURL: folder))
        usleep(200_000)  // Waits for the scan of the folder.
    }

    func run() throws -> Int { try count() }

    func count() throws -> Int {
        let delays = try (0..<Self.loads).map { _ in
            guard let url = URL(string: "http://127.0.0.1:\(server.port)/\(UUID().uuidString).jpg") else {
                throw BenchmarkError("\(server.port) is not a port")
            }
            let end = DispatchSemaphore(value: 0)  // One load after another, on the main thread.
            let start = ContinuousClock.now
            manager.retrieveImage(
                with: url,
                options: [
                    .processor(DownsamplingImageProcessor(size: CGSize(width: 100, height: 75))),
                    .callbackQueue(.untouch),
                ]
            ) { _ in end.signal() }
            end.wait()
            return Int((try server.takeArrival() - start) / .nanoseconds(1))
        }
        return delays.sorted()[delays.count * percentile / 100]
    }
}

/// Responds to each request with the same image, and records when its first byte arrives.
///
/// Its thread polls the socket, so that the time to wake it is not measured.
private final class ArrivalServer: Sendable {
    let port: UInt16
    private let arrival = Mutex<ContinuousClock.Instant?>(nil)

    init(body: Data) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                && getsockname(listener, pointer, &length) == 0
        }
        guard listener >= 0, isBound else { throw BenchmarkError("cannot listen on a socket") }
        port = UInt16(bigEndian: address.sin_port)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\n\r\n"
        let response = Data(head.utf8) + body
        Thread.detachNewThread { [self] in
            while true { serve(accept(listener, nil, nil), response) }
        }
    }

    /// Serves one connection until the client closes it.
    private func serve(_ connection: Int32, _ response: Data) {
        defer { close(connection) }
        var on: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let end = Data("\r\n\r\n".utf8)
        var request = Data()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return }
            if request.isEmpty { arrival.withLock { $0 = .now } }
            request += buffer[..<count]
            guard request.suffix(end.count) == end else { continue }
            request = Data()
            let sent = response.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            guard sent == response.count else { return }
        }
    }

    func takeArrival() throws -> ContinuousClock.Instant {
        guard let last = arrival.withLock({ $0.take() }) else { throw BenchmarkError("received no request") }
        return last
    }
}
