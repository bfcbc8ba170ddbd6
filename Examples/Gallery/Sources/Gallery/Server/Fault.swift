import Foundation
import KingfisherTestSupport

/// What can go wrong on the way of an image.
enum Fault: String, Sendable {
    /// There is no such image.
    case missing
    /// The answer is no image.
    case broken
    /// The file ends in its midst, though the answer does not.
    case truncated
    /// The connection breaks in the midst of the image.
    case cut
    /// No answer comes.
    case silent
    /// The answer sends the client to where it is.
    case circle
    /// Every other request is refused; the next one succeeds.
    case busy
    /// Two requests are refused; the third one succeeds.
    case stubborn

    /// - Parameter number: how often this address has been asked for, from 1.
    func answer(toRequest number: Int, photo: Data, path: String) -> ServerResponse {
        switch self {
        case .missing: return .status(404)
        case .broken: return .ok(Data("<html>Please log in to this network.</html>".utf8))
        case .truncated: return .ok(photo.prefix(photo.count / 2))
        case .cut: return .partial(Data(repeating: 0xff, count: 4096), of: 65_536, then: .reset)
        case .silent: return ServerResponse([.hang])
        case .circle: return .redirect(to: path)
        case .stubborn: return number.isMultiple(of: 3) ? .ok(photo) : .status(503)
        case .busy: return number.isMultiple(of: 2) ? .ok(photo) : .status(503)
        }
    }
}
