import ArgumentParser
import Foundation
import Kingfisher

/// Whom https servers may be vouched for by, besides the system's authorities.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trusts the authorities whose certificates are in this PEM file, beside the system's.",
            valueName: "file"),
        transform: { try CertificateFile($0) })
    var authorities: CertificateFile?

    var configuration: TLSConfiguration {
        var result = TLSConfiguration()
        if let authorities { result.certificateAuthorities = [authorities.bytes] }
        return result
    }
}

/// The bytes of a file that holds certificates in PEM (RFC 7468).
struct CertificateFile: Hashable, Sendable {
    let bytes: Data

    init(_ path: String) throws {
        do {
            bytes = try InputFile.bytes(of: path)
        } catch {
            throw ValidationError(ErrorText(error).message)
        }
        guard Self.holdsCertificate(bytes) else {
            throw ValidationError("it holds no certificate in PEM")
        }
    }

    /// Whether at least one block decodes to what a certificate begins with: a sequence of DER.
    static func holdsCertificate(_ bytes: Data) -> Bool {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: begin).dropFirst().contains {
            guard let close = $0.range(of: end) else { return false }
            let block = Data(
                base64Encoded: String($0[..<close.lowerBound]), options: .ignoreUnknownCharacters)
            return block?.first == 0x30
        }
    }
}
