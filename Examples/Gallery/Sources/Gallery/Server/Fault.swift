import Foundation
import KingfisherTestSupport

enum Fault: String, Sendable {
    case missing
    /// The response is a web page.
    case notAnImage
    /// The response is complete, but the file in it is not.
    case truncated
    /// The connection is reset during the transfer.
    case disconnected
    case silent
    case redirectLoop
    /// Every other request fails with 503.
    case failsOnce
    /// Two of three requests fail with 503.
    case failsTwice

    /// - Parameter number: the number of this request to the URL, from 1.
    func answer(toRequest number: Int, photo: Data, path: String) -> ServerResponse {
        switch self {
        case .missing: return .status(404)
        case .notAnImage: return .ok(Data("<html>Please log in to this network.</html>".utf8))
        case .truncated: return .ok(photo.prefix(photo.count / 2))
        case .disconnected: return .partial(Data(repeating: 0xff, count: 4096), of: 65_536, then: .reset)
        case .silent: return ServerResponse([.hang])
        case .redirectLoop: return .redirect(to: path)
        case .failsTwice: return number.isMultiple(of: 3) ? .ok(photo) : .status(503)
        case .failsOnce: return number.isMultiple(of: 2) ? .ok(photo) : .status(503)
        }
    }
}
