import Foundation
import Kingfisher

/// What the tool says of an error: the reason's name for programs, a sentence for people.
struct ErrorText: Hashable {
    let name: String
    let message: String

    init(_ error: any Error) {
        switch error {
        case let error as KingfisherError:
            name = error.reasonName
            message = Self.line(error.errorDescription ?? name)
        case let error as SourceArgumentError:
            name = Self.caseName(error)
            message = Self.message(of: error)
        case let error as OutputEncodingError:
            name = "cannotEncode"
            message = error.description
        case let error as SystemError:
            name = "cannotWrite"
            message = error.description
        case is UnreadablePicture:
            name = "unreadablePicture"
            message = "the bytes are no JPEG, PNG or GIF whose header can be read"
        case let error as CocoaError:
            name = "cannotRead"
            message = Self.line(error.localizedDescription)
        case is CancellationError:
            name = "cancelled"
            message = "cancelled"
        default:
            name = Self.caseName(error)
            message = Self.line(error.localizedDescription)
        }
    }

    private static func message(of error: SourceArgumentError) -> String {
        switch error {
        case .emptySource: "it is empty"
        case .invalidURL: "it is no valid URL"
        case .unsupportedScheme(let scheme): "\(scheme) is not supported; http, https, file and data are"
        case .invalidDataURI: "it is no valid data: URI"
        }
    }

    /// The name of an enum's case, without what it carries.
    private static func caseName(_ value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }

    /// On one line, so that a line of standard error stays one error.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension String {
    /// A source as it appears in messages: a long `data:` URI cut, and nothing that could drive a terminal.
    var forMessages: String {
        let limit = 120
        let safe = String(
            unicodeScalars.prefix(limit).map {
                $0.properties.generalCategory == .control ? "?" : Character($0)
            })
        return unicodeScalars.count > limit ? safe + "…" : safe
    }
}
