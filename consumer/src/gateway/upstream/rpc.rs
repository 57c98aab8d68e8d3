//! A method of a service, by a generic call.

use anyhow::Result;
use axum::body::Body;
use axum::extract::Query;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, Response};
use rpc_core::ServiceKey;
use rpc_core::client::{Consumer, Reference};
use rpc_core::generic::GenericClient;

use super::Arrived;
use crate::gateway::arguments::Arguments;
use crate::gateway::failure::Failure;
use crate::gateway::parameter::Parameter;
use crate::gateway::refusal::Refusal;
use crate::gateway::route_config::RouteConfig;

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

    pub(super) fn prepare(&self, arrived: &Arrived) -> Result<Arguments, Refusal> {
        if arrived.rest != "/" {
            return Err(Refusal::NothingBehind(arrived.rest.clone()));
        }
        if ![Method::GET, Method::HEAD, Method::POST].contains(&arrived.head.method) {
            return Err(Refusal::Method);
        }
        let query = Query::<Vec<(String, String)>>::try_from_uri(&arrived.head.uri);
        let Query(query) = query.map_err(|error| Refusal::Arguments(error.to_string()))?;
        Arguments::read(&self.parameters, &query, &arrived.body).map_err(Refusal::Arguments)
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
