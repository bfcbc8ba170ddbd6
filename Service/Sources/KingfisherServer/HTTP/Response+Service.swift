import Foundation
import HTTPTypes
import Hummingbird
import KingfisherService
import NIOCore

extension Response {
    /// A response of the service, with the bytes of a result.
    ///
    /// - Parameter isHead: Whether the client wants the header only. `Content-Length` tells what GET gives.
    init(_ response: ServiceResponse, _ data: Data = Data(), isHead: Bool, on eventLoop: any EventLoop) {
        var headers = HTTPFields()
        for field in response.fields {
            if let name = HTTPField.Name(field.name) { headers[name] = field.value }
        }
        let body: ResponseBody
        switch response.body {
        case .none: body = ResponseBody()
        case .text(let text):
            body = isHead ? .header(text.utf8.count) : .init(byteBuffer: ByteBuffer(string: text))
        case .bytes(let range):
            body =
                isHead
                ? .header(range.count)
                : .init(data.dropFirst(range.lowerBound).prefix(range.count), on: eventLoop)
        }
        self.init(status: .init(code: response.status), headers: headers, body: body)
        // A 304 has no length: zero would be the length of the image.
        if case .none = response.body { self.headers[.contentLength] = nil }
    }
}

extension ResponseBody {
    /// The maximum size of a piece in bytes.
    private static let pieceSize = 64 << 10

    static func header(_ length: Int) -> ResponseBody {
        ResponseBody(contentLength: length) { writer in try await writer.finish(nil) }
    }

    /// Writes data in pieces, each when the client has taken most of the previous one. So a client that does
    /// not read holds a piece in memory instead of a copy of the data, which the memory cache shares.
    init(_ data: Data, on eventLoop: any EventLoop) {
        guard data.count > Self.pieceSize else {
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
