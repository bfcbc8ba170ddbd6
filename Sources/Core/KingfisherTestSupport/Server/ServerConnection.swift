import Foundation
import Glibc
import Synchronization

/// One connection: reads requests and performs scripts, on its dedicated thread.
final class ServerConnection: Sendable {
    let id: Int
    private let descriptor: Int32
    private let isOpen = Mutex(true)
    private let unread = Mutex(Data())
    private let tls: TLSServerSession?

    init(_ descriptor: Int32, id: Int, tls: TLSServerContext?) {
        self.descriptor = descriptor
        self.id = id
        self.tls = tls.map { TLSServerSession($0, descriptor) }
    }

    func shakeHands() -> Bool { tls?.shakeHands() ?? true }

    /// The next request with its body, or `nil` if the client has closed or sent invalid HTTP.
    func nextRequest() -> ServerRequest? {
        unread.withLock { unread in
            let end = Data("\r\n\r\n".utf8)
            while true {
                if let range = unread.range(of: end) {
                    let head = Data(unread[..<range.lowerBound])
                    guard let request = ServerRequest(head: head, body: Data(), connection: self) else {
                        return nil
                    }
                    let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
                    unread = Data(unread[range.upperBound...])
                    while unread.count < length { guard receive(into: &unread) else { return nil } }
                    let body = Data(unread.prefix(length))
                    unread = Data(unread.dropFirst(length))
                    return ServerRequest(head: head, body: body, connection: self)
                }
                guard unread.count < 1 << 20, receive(into: &unread) else { return nil }
            }
        }
    }

    func play(_ response: ServerResponse) -> Bool {
        response.steps.allSatisfy(play)
    }

    private func play(_ step: ServerResponse.Step) -> Bool {
        switch step {
        case .send(let data):
            return send(data)
        case .drip(let data, let piece, let interval):
            var rest = data[...]
            while !rest.isEmpty {
                guard !isClosedByPeer(within: interval), send(Data(rest.prefix(max(1, piece)))) else {
                    return false
                }
                rest = rest.dropFirst(max(1, piece))
            }
            return true
        case .pause(let time):
            return !isClosedByPeer(within: time)
        case .hold(let gate):
            gate.arrive()
            while !gate.isOpen { if isClosedByPeer(within: .milliseconds(2)) { return false } }
            return true
        case .hang:
            while !isClosedByPeer(within: .seconds(1)) {}
            return false
        case .close:
            return false
        case .reset:
            tls?.forget()
            SocketReset.prepare(descriptor)
            return false
        }
    }

    var clientName: String? { tls?.clientName }

    func interrupt() {
        isOpen.withLock { if $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    func close() {
        tls?.end()
        isOpen.withLock { isOpen in
            if isOpen { _ = Glibc.close(descriptor) }
            isOpen = false
        }
    }

    private func receive(into data: inout Data) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = tls?.receive(into: &buffer) ?? recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        data.append(contentsOf: buffer[..<count])
        return true
    }

    private func send(_ data: Data) -> Bool {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
            var rest = bytes
            while !rest.isEmpty {
                let count =
                    tls?.send(rest)
                    ?? Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// Waits for a time or until the client closes. Bytes received in the meantime stay unread.
    private func isClosedByPeer(within time: Duration) -> Bool {
        let hangUp = Int16(0x2000)  // POLLRDHUP, declared under _GNU_SOURCE only
        var entry = pollfd(fd: descriptor, events: hangUp, revents: 0)
        return poll(&entry, 1, Int32((time / .milliseconds(1)).rounded(.up))) > 0
    }
}

enum SocketReset {
    /// Makes a later `close` reset the connection.
    static func prepare(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
