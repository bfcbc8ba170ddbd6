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
            message = Self.line(Self.message(of: error) ?? error.errorDescription ?? name)
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
            message = Self.line(Self.message(ofReading: error))
        case is CancellationError:
            name = "cancelled"
            message = "cancelled"
        default:
            name = Self.caseName(error)
            message = Self.line(error.localizedDescription)
        }
    }

    /// Words of our own where the library would speak of its parts, which a user of the tool does not know.
    private static func message(of error: KingfisherError) -> String? {
        switch error {
        case .imageSettingError(.dataProviderError(_, let cause)):
            message(ofReading: cause)
        case .processorError(.processingFailed(_, .data(let bytes))):
            if bytes.isEmpty {
                "it is empty"
            } else if bytes.kf.imageFormat == .unknown {
                "it is no JPEG, PNG or GIF"
            } else {
                "the \(bytes.kf.imageFormat.name) is damaged or has too many pixels"
            }
        default: nil
        }
    }

    /// Foundation's own texts on Linux name a code at best.
    private static func message(ofReading error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "it is no file that may be read"
        case .fileReadTooLarge: "the file is too large"
        case .some: "the file cannot be read"
        case nil: error.localizedDescription
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
