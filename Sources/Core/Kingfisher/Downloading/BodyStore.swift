import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTransport

/// Where the body of a download is stored above a size.
struct BodyStore: Sendable {
    /// The folder of the cache that the body is for.
    var folder = BodyFolder.temporary
    /// The URL whose interrupted body a later download can continue; nil if none can.
    var resumableURL: String?

    /// A file for the body of `response`: one that can be continued, if the server supports that. Nil if no
    /// file can be made; the body is then received in memory.
    func makeFile(for response: TransportResponse, to request: URLRequest) -> BodyFile? {
        if let resumableURL, request.isPlainGET, let total = response.announcedBodyBytes,
            let validator = response.rangeValidator(at: Date()),
            let resource = PartialResource(
                total: total, validator: validator, request: request.checksum(for: validator),
                location: response.locationChecksum),
            let file = folder.makePartial(for: resumableURL, resource)
        {
            return file
        }
        return try? folder.makeFile()
    }
}

/// The first bytes of a body that an interrupted download left, and the request for the rest.
struct InterruptedBody: Sendable {
    let file: BodyFile
    let rest: ByteRange
    private let location: UInt64

    /// Nil, and removes the file, if a response to `request` would not continue it.
    init?(_ file: BodyFile, for request: URLRequest, maxBodyBytes: Int) {
        let count = file.count
        guard let resource = file.resource, count > 0, resource.total <= maxBodyBytes, request.isPlainGET,
            resource.request == request.checksum(for: resource.validator)
        else {
            file.discard()
            return nil
        }
        self.file = file
        location = resource.location
        rest = ByteRange(from: count, of: resource.total, validator: resource.validator)
    }

    func outcome(of response: TransportResponse) -> ByteRange.Outcome {
        let outcome = rest.outcome(of: response)
        if case .rest = outcome, response.locationChecksum != location { return .neither }
        return outcome
    }
}

extension URLRequest {
    /// A checksum of who asks, and of what selects a representation of a resource: the URL with its user info
    /// and the credentials; for a date as validator, all header fields. A strong entity tag is unique among
    /// all representations of a resource (RFC 9110, 8.8.3), a date is not. Credentials and cookies that the
    /// transport adds do not count.
    fileprivate func checksum(for validator: String) -> UInt64 {
        let fields = (allHTTPHeaderFields ?? [:]).map { (name: $0.key.lowercased(), value: $0.value) }
            .filter { !validator.isEntityTag || URLRequest.credentialFields.contains($0.name) }
            .sorted { $0.name < $1.name }
        let lines = [url?.absoluteString ?? ""] + fields.map { "\($0.name):\($0.value)" }
        return Checksum.of(Data(lines.joined(separator: "\n").utf8))
    }
}

extension TransportResponse {
    fileprivate var locationChecksum: UInt64 { Checksum.of(Data((url?.absoluteString ?? "").utf8)) }
}
