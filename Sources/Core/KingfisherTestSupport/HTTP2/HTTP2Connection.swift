package import Foundation
import Glibc

/// One connection of an ``HTTP2Server``, used only on its thread.
///
/// It acknowledges SETTINGS and PING frames and counts windows. All else is up to the server's script, which
/// may violate the protocol.
package final class HTTP2Connection {
    /// Whether the client has closed the connection, or sent something other than HTTP/2.
    package private(set) var isClosed = false
    /// Streams that the client has reset.
    package private(set) var resetStreams: Set<UInt32> = []
    private let descriptor: Int32
    private let tls: TLSServerSession
    private var unread = Data()
    private var requests: [UInt32] = []
    /// By stream; 0 is the connection.
    private var windows: [UInt32: Int] = [0: 65_535]
    private var initialWindow = 65_535

    init(_ descriptor: Int32, _ tls: TLSServerSession) { (self.descriptor, self.tls) = (descriptor, tls) }

    func begin() -> Bool {
        guard tls.shakeHands(), takePreface() else {
            isClosed = true
            return false
        }
        return send(.settings)
    }

    func close() { tls.end() }

    // MARK: Requests

    /// Waits for the next request and returns its stream; nil at the end of the connection.
    package func nextRequest() -> UInt32? {
        while requests.isEmpty, takeFrame() {}
        return requests.isEmpty ? nil : requests.removeFirst()
    }

    /// Reads all frames that have arrived, and waits for the first one up to a time.
    package func readArrived(waiting time: Duration = .zero) {
        var time = time
        while !isClosed {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let wait = Int32((time / .milliseconds(1)).rounded(.up))
            guard hasFrame || Glibc.poll(&entry, 1, wait) > 0 else { return }
            time = .zero
            _ = takeFrame()
        }
    }

    /// Reads until the client closes the connection.
    package func readToEnd() { while takeFrame() {} }

    // MARK: Responses

    /// Sends frames. Returns `false` if the connection has ended.
    @discardableResult
    package func send(_ frames: HTTP2Frame...) -> Bool {
        // `joined()` would be copied byte by byte.
        send(frames.reduce(into: Data()) { $0.append($1.encoded) })
    }

    /// Sends frames that are encoded already.
    @discardableResult
    package func send(_ bytes: Data) -> Bool {
        guard !isClosed else { return false }
        let isSent = bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = tls.send(UnsafeRawBufferPointer(rebasing: rest))
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        if !isSent { isClosed = true }
        return isSent
    }

    /// The number of body bytes that the client accepts now.
    package func window(of stream: UInt32) -> Int { min(windows[0, default: 0], streamWindow(stream)) }

    /// Sends one piece of a body, without regard to windows.
    @discardableResult
    package func send(body: some Collection<UInt8>, on stream: UInt32, ends: Bool = false) -> Bool {
        windows[0, default: 0] -= body.count
        windows[stream] = streamWindow(stream) - body.count
        return send(HTTP2Frame(.data, ends ? .endStream : [], stream: stream, payload: Data(body)))
    }

    /// Sends a whole response with status 200. Waits for the client's windows.
    @discardableResult
    package func respond(_ stream: UInt32, _ body: Data) -> Bool {
        guard send(.headers(stream, .status(200, [("content-length", "\(body.count)")]))) else {
            return false
        }
        var rest = body[...]
        repeat {
            while !rest.isEmpty, window(of: stream) <= 0 { guard takeFrame() else { return false } }
            let piece = rest.prefix(min(HTTP2Frame.maxPayload, max(0, window(of: stream))))
            rest = rest.dropFirst(piece.count)
            guard send(body: piece, on: stream, ends: rest.isEmpty) else { return false }
        } while !rest.isEmpty
        return true
    }

    // MARK: Frames

    private func streamWindow(_ stream: UInt32) -> Int { windows[stream] ?? initialWindow }

    private func takePreface() -> Bool {
        let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        while unread.count < preface.count { guard receive() else { return false } }
        guard unread.starts(with: preface) else { return false }
        unread = Data(unread.dropFirst(preface.count))
        return true
    }

    private var frameSize: Int { HTTP2Frame.headSize + Int(HTTP2Frame.number(unread.prefix(3))) }
    private var hasFrame: Bool { unread.count >= HTTP2Frame.headSize && unread.count >= frameSize }

    /// Waits for a frame and takes it. Returns `false` at the end of the connection.
    private func takeFrame() -> Bool {
        while !hasFrame { guard receive() else { return false } }
        let bytes = Data(unread.prefix(frameSize))
        unread = Data(unread.dropFirst(bytes.count))
        // Unknown kinds must be ignored (RFC 9113, 4.1).
        guard let kind = HTTP2Frame.Kind(rawValue: bytes[3]) else { return true }
        let flags = HTTP2Frame.Flags(rawValue: bytes[4])
        let stream = HTTP2Frame.number(bytes[5..<9])
        take(HTTP2Frame(kind, flags, stream: stream, payload: Data(bytes.dropFirst(HTTP2Frame.headSize))))
        return true
    }

    private func take(_ frame: HTTP2Frame) {
        switch frame.kind {
        case .headers: requests.append(frame.stream)
        case .reset: resetStreams.insert(frame.stream)
        case .windowUpdate:
            let current = frame.stream == 0 ? windows[0, default: 0] : streamWindow(frame.stream)
            windows[frame.stream] = current + Int(HTTP2Frame.number(frame.payload))
        case .settings where !frame.flags.contains(.acknowledgement):
            takeSettings(frame.payload)
            send(HTTP2Frame(.settings, .acknowledgement))
        case .ping where !frame.flags.contains(.acknowledgement):
            send(HTTP2Frame(.ping, .acknowledgement, payload: frame.payload))
        default: break
        }
    }

    /// Six bytes each: a number and its value (RFC 9113, 6.5.1). 4 is the initial window of streams.
    private func takeSettings(_ payload: Data) {
        for start in stride(from: 0, to: payload.count - 5, by: 6)
        where HTTP2Frame.number(payload[start..<(start + 2)]) == 4 {
            let window = Int(HTTP2Frame.number(payload[(start + 2)..<(start + 6)]))
            for stream in windows.keys where stream != 0 { windows[stream]? += window - initialWindow }
            initialWindow = window
        }
    }

    private func receive() -> Bool {
        guard !isClosed else { return false }
        // A TLS record has at most this size, so nothing remains in OpenSSL.
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = tls.receive(into: &buffer)
        guard count > 0 else {
            isClosed = true
            return false
        }
        unread.append(contentsOf: buffer[..<count])
        return true
    }
}
