extension ServiceError {
    /// What another service has and this one does not.
    static func unsupported(_ name: some StringProtocol, _ reason: String) -> ServiceError {
        ServiceError(400, "\(name) is not supported: \(reason).")
    }

    /// An argument of another form.
    static func invalid(_ name: some StringProtocol, expected: String) -> ServiceError {
        ServiceError(400, "\(name) is invalid: expected \(expected).")
    }
}
