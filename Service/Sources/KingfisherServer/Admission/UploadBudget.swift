import Foundation
import HTTPTypes
import Hummingbird
import KingfisherService
import NIOCore
import Synchronization

/// The bodies of uploads in memory, of which all requests together hold a limited number of bytes.
final class UploadBudget: Sendable {
    private let maximumBody: Int
    private let total: Int
    private let used = Mutex(0)

    init(maximumBody: Int, total: Int) {
        (self.maximumBody, self.total) = (maximumBody, max(total, maximumBody))
    }

    /// Reads the body of a request and calls `work` with it.
    ///
    /// Throws 413 if it is larger than the limit, which a `Content-Length` tells before it is read, 400 if it
    /// cannot be read, and 503 if other bodies use the memory.
    func withBody<Value: Sendable>(
        of request: Request, _ work: (Data) async throws -> Value
    ) async throws -> Value {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? maximumBody
        guard (0...maximumBody).contains(announced) else { throw ServiceFailure(.sourceTooLarge) }
        let isReserved = used.withLock { used in
            guard used + announced <= total else { return false }
            used += announced
            return true
        }
        guard isReserved else { throw ServiceFailure(.overloaded) }
        defer { used.withLock { $0 -= announced } }
        return try await work(try await Self.body(of: request, atMost: announced))
    }

    private static func body(of request: Request, atMost limit: Int) async throws -> Data {
        var body = Data(capacity: min(limit, 1 << 20))
        do {
            for try await part in request.body {
                guard body.count + part.readableBytes <= limit else {
                    throw ServiceFailure(.sourceTooLarge)
                }
                body.append(contentsOf: part.readableBytesView)
            }
        } catch let error where !(error is ServiceFailure || error is CancellationError) {
            throw ServiceFailure(ServiceError(400, "The body of the request cannot be read."))
        }
        return body
    }
}
