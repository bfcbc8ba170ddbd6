import Foundation
import Kingfisher

/// What a response of S3 without the object means.
public enum S3Failure {
    /// The failure of a response that has neither the object nor the status 304.
    ///
    /// The text names causes that only the operator can remove, such as a wrong clock, and no key or bucket.
    ///
    /// - Parameters:
    ///   - header: Returns the value of a header field, by its name in any case.
    ///   - body: The body or its beginning: XML with the code of the error.
    ///   - region: The region with which the request was signed.
    ///   - now: The time of this machine in seconds since 1970, to find a wrong clock by the field `Date`.
    public static func error(
        status: Int, header: (_ name: String) -> String?, body: String = "", region: String, now: Int? = nil
    ) -> ServiceError {
        let other = header("x-amz-bucket-region") ?? element("Region", in: body)
        if let other, other != region, S3Endpoint.isRegion(other), isRegionError(status, body) {
            return ServiceError(502, "The bucket is in the region \(other), but s3-region is \(region).")
        }
        if (300..<400).contains(status) {
            return ServiceError(502, "S3 redirected the request, which is refused.")
        }
        if status == 403, let now, let date = header("date"), isSkewed(now, from: date) {
            return ServiceError(502, wrongClock)
        }
        if let text = element("Code", in: body).flatMap({ causes[$0] }) { return ServiceError(502, text) }
        switch status {
        case 404, 410: return ServiceError(404, "There is no such image at the bucket.")
        case 403: return ServiceError(502, "S3 refused the request.")
        default: return ServiceError(502, "S3 failed with the status \(status).")
        }
    }

    private static let wrongClock = "S3 refused the request: the clock of this machine is wrong."
    /// The difference in seconds above which S3 refuses requests.
    private static let largestSkew = 900.0

    /// Causes by the code of S3 (Amazon S3 API reference, "Error Responses").
    private static let causes = [
        "RequestTimeTooSkewed": wrongClock,
        "RequestExpired": wrongClock,
        "SignatureDoesNotMatch": "S3 refused the signature: the secret key is wrong.",
        "InvalidAccessKeyId": "S3 does not know the access key.",
        "ExpiredToken": "The session token for S3 has expired.",
        "InvalidToken": "S3 refused the session token.",
        "AccessDenied":
            "S3 denied access, as it also does for missing objects without the right to list them.",
        "InvalidObjectState": "The object is archived and must be restored first.",
        "SlowDown": "S3 is throttling requests.",
    ]

    private static func isSkewed(_ now: Int, from date: String) -> Bool {
        let now = Date(timeIntervalSince1970: Double(now))
        return HTTPDate.read(date, now: now).map { abs($0.timeIntervalSince(now)) > largestSkew } ?? false
    }

    private static func isRegionError(_ status: Int, _ body: String) -> Bool {
        if (300..<400).contains(status) { return true }
        let code = element("Code", in: body) ?? ""
        return status == 400
            || ["AuthorizationHeaderMalformed", "IllegalLocationConstraintException"].contains(code)
    }

    /// The text of the first element with a name in the first 4 KiB.
    private static func element(_ name: String, in body: String) -> String? {
        let start = String(decoding: body.utf8.prefix(4_096), as: UTF8.self)
        guard let open = start.firstRange(of: "<\(name)>"),
            let close = start[open.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        let text = start[open.upperBound..<close.lowerBound]
        return HeaderText.isShortName(String(text)) ? String(text) : nil
    }
}
