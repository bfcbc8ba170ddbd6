import KingfisherService

/// What is fetched.
extension ServerSettingDefinition {
    static let sources = [
        Self(
            "allowed-sources", default: "all", "URLs with path prefixes, all",
            "The sources that may be fetched, such as https://*.example.com/photos/; also checked at redirects."
        ) { value, draft throws(SettingReason) in
            draft.settings.urls.sources.allowed = value.text == "all" ? nil : try value.list()
        },
        networks(
            "allow-addresses", "Addresses that sources may have, besides public ones.",
            \.settings.allowedAddresses),
        Self("allowed-ports", default: "80,443", "ports, all", "Ports that sources may have.") {
            value, draft throws(SettingReason) in
            if value.text == "all" {
                draft.settings.allowedPorts = nil
                return
            }
            let ports = try value.list { element throws(SettingReason) in try element.number(in: 1...65_535) }
            draft.settings.allowedPorts = Set(ports)
        },
        text(
            "source-base", "a URL", "Where sources without a scheme are.", \.settings.urls.sources.base),
        Self("folder", default: nil, "a folder", "The folder of local:///PATH. Links in it are not followed.")
        {
            value, draft throws(SettingReason) in draft.settings.folder = try value.readableFolder()
        },
    ]

    static let buckets = [
        Self(
            "s3-buckets", default: "none", "names, separated by commas",
            "The buckets of s3://BUCKET/KEY that may be read."
        ) { value, draft throws(SettingReason) in
            draft.settings.urls.sources.buckets = Set(try value.list())
        },
        Self("s3-endpoint", default: nil, "a URL", "The server of the buckets, instead of Amazon S3.") {
            value, draft throws(SettingReason) in
            guard S3Endpoint(region: "us-east-1", url: value.text) != nil else {
                throw SettingReason("The value is not an http or https URL without user, query and fragment.")
            }
            draft.s3.endpoint = value.text
        },
        Self("s3-region", default: "us-east-1", "a region", "The region of the buckets.") {
            value, draft throws(SettingReason) in
            guard S3Endpoint(region: value.text) != nil else {
                throw SettingReason("\(value.quoted) is not a region such as eu-central-1.")
            }
            draft.s3.region = value.text
        },
        secret(
            "s3-credentials-file", "as ~/.aws/credentials",
            "Who reads buckets; otherwise AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN."
        ) { value, draft throws(SettingReason) in
            guard let credentials = S3Credentials(file: try value.secret(&draft.warnings)) else {
                throw SettingReason("The file has no aws_access_key_id and aws_secret_access_key.")
            }
            draft.s3.credentials = credentials
        },
        flag(
            "s3-path-style", "Whether the bucket is in the path instead of the host.", \.s3.usesPathStyle),
        networks(
            "s3-allow-addresses", "Addresses that the endpoint may have, besides public ones.",
            \.s3.allowedAddresses),
    ]
}
