import ArgumentParser
import Foundation
import Kingfisher

/// Trust anchors for https servers in addition to the system's.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Also trusts the certificate authorities in this PEM file.",
            valueName: "file"),
        transform: { try CertificateFile($0) })
    var authorities: CertificateFile?

    var configuration: TLSConfiguration {
        var result = TLSConfiguration()
        if let authorities { result.certificateAuthorities = [authorities.bytes] }
        return result
    }
}

/// The bytes of a PEM file with certificates (RFC 7468).
struct CertificateFile: Hashable, Sendable {
    let bytes: Data

    init(_ path: String) throws {
        do {
            bytes = try InputFile.bytes(of: path)
        } catch {
            throw ValidationError(ErrorText(error).message)
        }
        guard Self.holdsCertificate(bytes) else {
            throw ValidationError("the file contains no PEM certificate")
        }
    }

    /// Whether at least one block decodes to the first byte of a certificate: a DER sequence.
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
