import Foundation
import Glibc
import Kingfisher

/// The tool's form of an error: the reason's name for programs, a message for people.
struct ErrorText: Hashable {
    let name: String
    let message: String
    /// Whether the message names what it is about, and the source must not be added.
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
            message = Self.line("cannot encode as \(error.format.name): \(error.reason.localizedDescription)")
        case let error as OutputIsSource:
            name = "outputIsSource"
            message =
                "cannot write \(error.place.forMessages): it is also a SOURCE; choose another output with -o"
            namesItsSubject = true
        case let error as OutputError:
            name = "cannotWrite"
            message = "cannot write \(error.place.forMessages): \(error.reason)"
            namesItsSubject = true
        case let error as WatermarkError:
            name = "cannotReadWatermark"
            message = "cannot read the watermark \(error.name.forMessages): \(error.reason)"
            namesItsSubject = true
        case let error as UnreadableImage:
            name = "unreadableImage"
            message = Self.line(ImageCodecs.fault(in: error.bytes) ?? "the image header cannot be read")
        case let error as SystemError:
            (name, message) = ("cannotRead", Self.message(ofReading: error))
        case is NotCached:
            (name, message) = ("notCached", error.localizedDescription)
        case let error as any CustomNSError where type(of: error).errorDomain == NSPOSIXErrorDomain:
            (name, message) = ("systemError", String(cString: strerror(Int32(error.errorCode))))
        case is CancellationError:
            (name, message) = ("cancelled", "cancelled")
        default:
            let text = Self.ownText(of: error)
            (name, message) = text ?? (Self.caseName(error), Self.line(error.localizedDescription))
        }
    }

    /// A message that replaces the library's where that describes internals of the library.
    private static func message(of error: KingfisherError) -> String? {
        switch error {
        case .imageSettingError(.dataProviderError(_, let cause)):
            message(ofReading: cause)
        case .processorError(.processingFailed(_, .data(let bytes))):
            ImageCodecs.fault(in: bytes) ?? "the image cannot be processed"
        case .responseError(.URLSessionError(let error)):
            remedy(for: (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransportError)
                ?? error.localizedDescription
        default: nil
        }
    }

    /// A message that names the option of the tool that helps.
    private static func remedy(for error: TransportError?) -> String? {
        switch error {
        case .untrustedCertificate(.unknownAuthority, _):
            "the server's certificate is not signed by a trusted authority; trust its authority with --cacert FILE"
        case .untrustedCertificate(.selfSigned, _):
            "the server's certificate is self-signed; trust it with --cacert FILE"
        default: nil
        }
    }

    private static func message(ofReading error: any Error) -> String {
        guard let error = error as? SystemError else { return error.localizedDescription }
        return switch error.number {
        case ENOENT: "no such file"
        case EISDIR: "it is a folder"
        case ENODEV: "it is not a regular file"
        case EFBIG: "the file is larger than 1 GiB"
        default: "the file cannot be read: \(error)"
        }
    }

    private static func message(of error: SourceArgumentError) -> String {
        switch error {
        case .emptySource: "the source is empty"
        case .invalidURL: "it is not a valid URL"
        case .otherHost: "the file is on another host"
        case .unsupportedScheme(let scheme):
            "the scheme '\(scheme)' is not supported; use http, https, file or data"
        case .invalidDataURI: "it is not a valid data: URI"
        case .timeOfNoVideo: "only a URL or a file can have a time (#t=)"
        }
    }

    private static func ownText(of error: any Error) -> (name: String, message: String)? {
        switch error {
        case let error as MetadataError:
            let reason = error.reason.localizedDescription
            return (
                "cannotChangeMetadata",
                line("metadata cannot be changed: \(reason); --metadata keep copies the file as it is")
            )
        case let error as TextError: return ("cannotDrawText", line(error.message))
        case let error as CopyrightLoss:
            return (
                "cannotKeepCopyright", "the copyright cannot be kept: \(error.format) has no place for it"
            )
        case let error as EditRefusal: return (caseName(error), message(of: error))
        default: return nil
        }
    }

    private static func message(of error: EditRefusal) -> String {
        switch error {
        case .symbolicLink: "it is a symbolic link; --follow edits its target"
        case .severalNames:
            "it has other names (hard links), which would keep the old metadata; --follow replaces this name"
        case .hasChanged: "another program has changed it meanwhile"
        }
    }

    /// The name of an enum case without its associated values.
    private static func caseName(_ value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }

    /// Joins the lines, so that each error is one line of standard error.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
