import Foundation
import Glibc
import Kingfisher

/// What the tool says of an error: the reason's name for programs, a sentence for people.
struct ErrorText: Hashable {
    let name: String
    let message: String
    /// Whether the message says itself what it is about, which is not the source.
    var namesItsSubject = false

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
            message = Self.line(
                "it cannot be written as \(error.format.name): \(error.reason.localizedDescription)"
            )
        case let error as OutputIsSource:
            name = "outputIsSource"
            message = "cannot write \(error.place.forMessages): it is a SOURCE, which is never replaced"
            namesItsSubject = true
        case let error as OutputError:
            name = "cannotWrite"
            message = "cannot write \(error.place.forMessages): \(error.reason)"
            namesItsSubject = true
        case let error as UnreadableImage:
            name = "unreadableImage"
            message = Self.line(ImageCodecs.fault(in: error.bytes) ?? "its header cannot be read")
        case let error as SystemError:
            name = "cannotRead"
            message = Self.message(ofReading: error)
        case is NotCached:
            name = "notCached"
            message = error.localizedDescription
        case let error as any CustomNSError where type(of: error).errorDomain == NSPOSIXErrorDomain:
            name = "systemError"
            message = String(cString: strerror(Int32(error.errorCode)))
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
            ImageCodecs.fault(in: bytes) ?? "it cannot be processed"
        case .responseError(.URLSessionError(let error)):
            remedy(for: (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransportError)
                ?? error.localizedDescription
        default: nil
        }
    }

    /// What the library cannot say: which option of the tool helps.
    private static func remedy(for error: TransportError?) -> String? {
        switch error {
        case .untrustedCertificate(.unknownAuthority, _):
            "nobody who is trusted vouches for the server's certificate; --cacert FILE trusts its authority"
        case .untrustedCertificate(.selfSigned, _):
            "the server vouches for its certificate itself; --cacert FILE trusts it"
        default: nil
        }
    }

    private static func message(ofReading error: any Error) -> String {
        guard let error = error as? SystemError else { return error.localizedDescription }
        return switch error.number {
        case ENOENT: "there is no such file"
        case EISDIR: "it is a folder"
        case ENODEV: "it is no file"
        case EFBIG: "the file is too large"
        default: "the file cannot be read: \(error)"
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
