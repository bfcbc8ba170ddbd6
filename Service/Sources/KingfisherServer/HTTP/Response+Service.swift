import Foundation
import HTTPTypes
import Hummingbird
import KingfisherService
import NIOCore

extension Response {
    /// A response of the service, with the bytes of a result.
    init(_ response: ServiceResponse, _ data: Data = Data(), on eventLoop: any EventLoop) {
        var headers = HTTPFields()
        for field in response.fields {
            guard let name = Self.names[field.name] ?? HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        let body: ResponseBody =
            switch response.body {
            case .none: ResponseBody()
            case .text(let text): ResponseBody(byteBuffer: ByteBuffer(string: text))
            case .bytes(let range):
                ResponseBody(data.dropFirst(range.lowerBound).prefix(range.count), on: eventLoop)
            }
        self.init(status: .init(code: response.status), headers: headers, body: body)
        // A 304 has no length: zero would be the length of the image.
        if case .none = response.body { self.headers[.contentLength] = nil }
    }

    /// The names that every response with an image has, because parsing a name costs more than finding it.
    private static let names: [String: HTTPField.Name] = {
        let names = [
            "Content-Type", "Accept-Ranges", "ETag", "Last-Modified", "Content-Disposition", "Cache-Control",
            "Vary", "X-Content-Type-Options", "Content-Security-Policy", "Cross-Origin-Resource-Policy",
            "X-Request-ID", "Server-Timing",
        ]
        return names.reduce(into: [:]) { $0[$1] = HTTPField.Name($1) }
    }()

    /// Without its body for HEAD; the length stays.
    func responding(to method: HTTPRequest.Method) -> Response {
        guard method == .head else { return self }
        var head = createHeadResponse()
        head.headers[.contentLength] = headers[.contentLength]
        return head
    }
}

extension ResponseBody {
    /// The size of a piece in bytes; data up to twice that is one.
    private static let pieceSize = 32 << 10

    /// Writes data in pieces, each when the client has taken most of the previous one. So a client that does
    /// not read holds a piece in memory instead of a copy of the data, which the memory cache shares.
    init(_ data: Data, on eventLoop: any EventLoop) {
        guard data.count > 2 * Self.pieceSize else {
            self.init(byteBuffer: ByteBuffer(bytes: data))
            return
        }
        self.init(contentLength: data.count) { writer in
            for start in stride(from: 0, to: data.count, by: Self.pieceSize) {
                try await writer.write(ByteBuffer(bytes: data.dropFirst(start).prefix(Self.pieceSize)))
                // The next write waits for the client only if the event loop has performed this one.
                try await eventLoop.submit {}.get()
            }
            try await writer.finish(nil)
        }
    }
}
