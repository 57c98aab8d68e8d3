//! A method of a service, by a generic call.

use anyhow::Result;
use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use rpc_core::ServiceKey;
use rpc_core::client::{Consumer, Reference};
use rpc_core::generic::GenericClient;

use super::Arrived;
use crate::gateway::arguments::Arguments;
use crate::gateway::failure::Failure;
use crate::gateway::parameter::Parameter;
use crate::gateway::route_config::RouteConfig;
use crate::routes::failure;

#[derive(Debug)]
pub(in crate::gateway) struct RpcUpstream {
    client: GenericClient,
    method: String,
    parameters: Vec<Parameter>,
}

impl RpcUpstream {
    pub(super) async fn new(
        route: &RouteConfig,
        consumer: &Consumer,
        direct: &str,
    ) -> Result<RpcUpstream> {
        let service = ServiceKey::new(&route.interface, &route.version, &route.group);
        let mut reference = Reference::default().timeout(route.timeout);
        if !direct.is_empty() {
            reference = reference.url(direct);
        }
        let client = consumer.generic(service, reference).await?;
        let (method, parameters) = (route.method.clone(), route.parameters.clone());
        Ok(RpcUpstream { client, method, parameters })
    }

    pub(super) fn prepare(&self, arrived: &Arrived) -> Result<Arguments, Response<Body>> {
        if arrived.rest != "/" {
            let message = format!("this route is a method; nothing is at {}", arrived.rest);
            return Err(failure(StatusCode::NOT_FOUND, "NotFound", &message));
        }
        if ![Method::GET, Method::HEAD, Method::POST].contains(&arrived.head.method) {
            let message = "a method is called with GET or POST";
            let mut answer = failure(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message);
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
            return Err(answer);
        }
        let wrong = |message: &str| failure(StatusCode::BAD_REQUEST, "BadArguments", message);
        let query = Query::<Vec<(String, String)>>::try_from_uri(&arrived.head.uri);
        let Query(query) = query.map_err(|error| wrong(&error.to_string()))?;
        Arguments::read(&self.parameters, &query, &arrived.body).map_err(|text| wrong(&text))
    }

    pub(super) async fn attempt(&self, arguments: &Arguments) -> Result<Response<Body>, Failure> {
        let Arguments { types, values } = arguments;
        let value = self.client.invoke(&self.method, types.as_deref(), values.clone()).await?;
        let mut answer = Response::new(Body::from(value.to_string()));
        let json = HeaderValue::from_static("application/json");
        answer.headers_mut().insert(CONTENT_TYPE, json);
        Ok(answer)
    }
}
